// Suggests the key of an attribute or a segment from its name: "Company size" becomes company_size.
import { limits } from '@roster/contract/limits';

export function keyOfLabel(label: string): string {
  return label
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, limits.attributeKeyLength);
}
