// The filters of the list as chips, each of which can be removed, and the button that adds one.
import { Button } from '@mantine/core';
import type { Attribute, Segment, Tag } from '@roster/client';
import { lazy } from 'react';
import { Chip } from '../components/chip.tsx';
import { Icon } from '../components/icons.tsx';
import { PopupButton } from '../components/popup-button.tsx';
import { describeCondition } from './conditions.ts';
import classes from './filter-bar.module.css';
import { type Condition, type ListState, withCondition } from './list-state.ts';

const AddFilter = lazy(() => import('./add-filter.tsx'));

interface FilterBarProps {
  list: Pick<ListState, 'conditions' | 'segment'>;
  attributes: readonly Attribute[];
  tags: readonly Tag[];
  segments: readonly Segment[];
  onChange(changes: Partial<ListState>): void;
  /** Left out: these filters cannot be kept, or the member may not. */
  onSave?: (() => void) | undefined;
}

export function FilterBar({ list, attributes, tags, segments, onChange, onSave }: FilterBarProps) {
  const { conditions, segment } = list;
  const without = (removed: Condition) => onChange({ conditions: conditions.filter((each) => each !== removed) });
  const segmentText = `Segment: ${segments.find(({ key }) => key === segment)?.label ?? segment}`;
  const hasFilters = conditions.length > 0 || segment !== undefined;
  return (
    <ul className={classes.bar} aria-label="Filters">
      {segment !== undefined && (
        <Chip
          text={segmentText}
          removeLabel={`Remove filter: ${segmentText}`}
          onRemove={() => onChange({ segment: undefined })}
        />
      )}
      {conditions.map((condition) => {
        const text = describeCondition(condition, attributes);
        return (
          <Chip
            key={`${condition.name} ${condition.values}`}
            text={text}
            removeLabel={`Remove filter: ${text}`}
            onRemove={() => without(condition)}
          />
        );
      })}
      <li>
        <PopupButton
          kind="dialog"
          button={
            <Button variant="default" size="xs" leftSection={<Icon name="filter" size={15} />}>
              Add filter
            </Button>
          }
        >
          {(button) => (
            <AddFilter
              button={button}
              attributes={attributes}
              tags={tags}
              onAdd={(added) => onChange({ conditions: withCondition(conditions, added) })}
            />
          )}
        </PopupButton>
      </li>
      {onSave && (
        <li>
          <Button variant="subtle" size="xs" onClick={onSave}>
            Save as segment…
          </Button>
        </li>
      )}
      {hasFilters && (
        <li>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            onClick={() => onChange({ conditions: [], segment: undefined })}
          >
            Clear filters
          </Button>
        </li>
      )}
    </ul>
  );
}
