// The attributes that a segment filters by and that were deleted. Such a segment finds no contacts until it is edited.
import type { Attribute, Segment } from '@roster/client';

/** Their keys. None while the attributes are not known. */
export function missingAttributes({ filter }: Segment, attributes: readonly Attribute[] | undefined): string[] {
  if (attributes === undefined) return [];
  return Object.keys(filter.attributes ?? {}).filter((used) => attributes.every(({ key }) => key !== used));
}

/** "Uses plan, which was deleted." */
export function describeMissing(keys: readonly string[]): string {
  return `Uses ${keys.join(' and ')}, which ${keys.length === 1 ? 'was' : 'were'} deleted.`;
}
