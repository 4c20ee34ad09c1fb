// The attributes that a segment filters by and that were deleted. Such a segment finds no contacts until it is edited.
import type { Attribute, Segment } from '@roster/client';

/** Their keys. None while the attributes are not known. */
export function missingAttributes({ filter }: Segment, attributes: readonly Attribute[] | undefined): string[] {
  if (attributes === undefined) return [];
  return Object.keys(filter.attributes ?? {}).filter((used) => attributes.every(({ key }) => key !== used));
}

/** "Uses the attribute plan, which was deleted." */
export function describeMissing(keys: readonly string[]): string {
  const [noun, verb] = keys.length === 1 ? ['attribute', 'was'] : ['attributes', 'were'];
  return `Uses the ${noun} ${keys.join(' and ')}, which ${verb} deleted.`;
}
