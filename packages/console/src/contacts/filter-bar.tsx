// The filters of the list as chips, each of which can be removed, and the form that adds one.
import { Button, NativeSelect, Popover, TextInput } from '@mantine/core';
import type { Attribute, Segment, Tag } from '@roster/client';
import { type FormEvent, useState } from 'react';
import { Chip } from '../components/chip.tsx';
import { Icon } from '../components/icons.tsx';
import { describeCondition, type FilterField, filterFields, operatorsOf } from './conditions.ts';
import classes from './filter-bar.module.css';
import { type Condition, type ListState, withCondition } from './list-state.ts';

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
        <AddFilter
          attributes={attributes}
          tags={tags}
          onAdd={(added) => onChange({ conditions: withCondition(conditions, added) })}
        />
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

interface AddFilterProps {
  attributes: readonly Attribute[];
  tags: readonly Tag[];
  onAdd(condition: Condition): void;
}

function AddFilter({ attributes, tags, onAdd }: AddFilterProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" trapFocus withinPortal={false} width={300}>
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="filter" size={15} />}
          onClick={() => setIsOpen(!isOpen)}
        >
          Add filter
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Add filter">
        <FilterForm
          fields={filterFields(attributes)}
          tags={tags}
          onAdd={(condition) => {
            setIsOpen(false);
            onAdd(condition);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

interface FilterFormProps {
  fields: readonly FilterField[];
  tags: readonly Tag[];
  onAdd(condition: Condition): void;
}

function FilterForm({ fields, tags, onAdd }: FilterFormProps) {
  const [name, setName] = useState('tag');
  const [operatorAt, setOperatorAt] = useState(0);
  const [typed, setTyped] = useState('');
  const field = fields.find((each) => each.name === name) ?? (fields[0] as FilterField);
  const operators = operatorsOf[field.kind];
  const operator = operators[operatorAt] ?? operators[0];
  if (operator === undefined) return null;
  // A list has something chosen from the start.
  const value = typed === '' ? firstChoice(operator.input, tags) : typed;
  const isReady = operator.input === 'none' || value.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onAdd({ name: `${field.name}${operator.suffix}`, values: [operator.write(value)] });
  };
  const input = {
    label: 'Value',
    value,
    onChange: (event: { currentTarget: { value: string } }) => setTyped(event.currentTarget.value),
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <NativeSelect
        label="Field"
        data-autofocus
        data={fields.map(({ name: key, label }) => ({ value: key, label }))}
        value={field.name}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setOperatorAt(0);
          setTyped('');
        }}
      />
      {operators.length > 1 && (
        <NativeSelect
          label="Condition"
          data={operators.map(({ label }, at) => ({ value: String(at), label }))}
          value={String(operatorAt)}
          onChange={(event) => {
            setOperatorAt(Number(event.currentTarget.value));
            setTyped('');
          }}
        />
      )}
      {operator.input === 'tag' && tags.length === 0 && <p className={classes.hint}>This bot has no tags yet.</p>}
      {operator.input === 'tag' && tags.length > 0 && (
        <NativeSelect {...input} data={tags.map(({ name: tag }) => tag)} />
      )}
      {operator.input === 'boolean' && (
        <NativeSelect
          {...input}
          data={[
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
        />
      )}
      {operator.input === 'text' && <TextInput {...input} autoComplete="off" />}
      {operator.input === 'day' && <TextInput {...input} type="date" />}
      {operator.input === 'number' && <TextInput {...input} type="number" step="any" />}
      {operator.input === 'days' && <TextInput {...input} type="number" min={1} max={36_500} step={1} />}
      <Button type="submit" size="xs" disabled={!isReady}>
        Apply
      </Button>
    </form>
  );
}

function firstChoice(input: string, tags: readonly Tag[]): string {
  if (input === 'boolean') return 'true';
  return input === 'tag' ? (tags[0]?.name ?? '') : input === 'days' ? '30' : '';
}
