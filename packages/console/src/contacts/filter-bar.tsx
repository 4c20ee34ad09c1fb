// The filters of the list as chips, each of which can be changed and removed, and the button that adds one.
import { Button, UnstyledButton } from '@mantine/core';
import type { Attribute, Segment, Tag } from '@roster/client';
import { lazy } from 'react';
import { Chip } from '../components/chip.tsx';
import { Icon } from '../components/icons.tsx';
import { PopupButton } from '../components/popup-button.tsx';
import { filtersOf } from './conditions.ts';
import classes from './filter-bar.module.css';
import { type ListState, withReplaced } from './list-state.ts';

const FilterPopup = lazy(() => import('./filter-form.tsx'));

interface FilterBarProps {
  botId: string;
  list: Pick<ListState, 'conditions' | 'segment'>;
  attributes: readonly Attribute[];
  tags: readonly Tag[];
  segments: readonly Segment[];
  onChange(changes: Partial<ListState>): void;
  /** Left out: these filters cannot be kept, or the member may not. */
  onSave?: (() => void) | undefined;
}

export function FilterBar({ botId, list, attributes, tags, segments, onChange, onSave }: FilterBarProps) {
  const { conditions, segment } = list;
  const segmentText = `Segment: ${segments.find(({ key }) => key === segment)?.label ?? segment}`;
  const hasFilters = conditions.length > 0 || segment !== undefined;
  const form = { botId, attributes, tags };
  return (
    <ul className={classes.bar} aria-label="Filters">
      {segment !== undefined && (
        <Chip
          text={segmentText}
          removeLabel={`Remove filter: ${segmentText}`}
          onRemove={() => onChange({ segment: undefined })}
        />
      )}
      {filtersOf(conditions, attributes).map((filter, at) => {
        const replace = (added: ListState['conditions']) =>
          onChange({ conditions: withReplaced(conditions, filter.conditions, added) });
        return (
          <Chip
            // A filter that was changed keeps its place, and the focus.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above.
            key={at}
            text={filter.text}
            removeLabel={`Remove filter: ${filter.text}`}
            onRemove={() => replace([])}
          >
            {filter.field && (
              <PopupButton kind="dialog" button={<UnstyledButton>{filter.text}</UnstyledButton>}>
                {(button) => <FilterPopup button={button} {...form} filter={filter} onApply={replace} />}
              </PopupButton>
            )}
          </Chip>
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
            <FilterPopup
              button={button}
              {...form}
              onApply={(added) => onChange({ conditions: withReplaced(conditions, [], added) })}
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
