// In place of the contacts of a segment that filters by attributes which were deleted.
import { Button } from '@mantine/core';
import { describeMissing } from '../attributes/missing-attributes.ts';
import { EmptyState } from '../components/empty-state.tsx';

interface BrokenSegmentProps {
  missing: readonly string[];
  /** Left out: the member may not. */
  onEdit: (() => void) | undefined;
}

export default function BrokenSegment({ missing, onEdit }: BrokenSegmentProps) {
  return (
    <EmptyState icon="filter" title="This segment can’t find contacts" level={2}>
      <p>{describeMissing(missing)}</p>
      {onEdit && <Button onClick={onEdit}>Edit segment</Button>}
    </EmptyState>
  );
}
