// In place of the contacts, where the address has filters that do not exist: without them it would find others than were meant.
import { Button } from '@mantine/core';
import { EmptyState } from '../components/empty-state.tsx';

export default function UnknownFilters({ names, onRemove }: { names: readonly string[]; onRemove: () => void }) {
  const isOne = names.length === 1;
  return (
    <EmptyState icon="warning" title={isOne ? 'Unknown filter' : 'Unknown filters'} level={2}>
      <p>
        This page’s URL has {isOne ? 'a filter that doesn’t' : 'filters that don’t'} exist: {names.join(', ')}. Remove{' '}
        {isOne ? 'it' : 'them'}, or fix the spelling.
      </p>
      <Button onClick={onRemove}>Remove {isOne ? 'filter' : 'filters'}</Button>
    </EmptyState>
  );
}
