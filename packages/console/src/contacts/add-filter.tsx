// The form that adds a filter: a field, a condition, and a value.
import { Button, NativeSelect, Popover, TextInput } from '@mantine/core';
import type { Attribute, Tag } from '@roster/client';
import { cloneElement, type FormEvent, useState } from 'react';
import { type ButtonElement, useOpened } from '../components/use-opened.ts';
import { type FilterField, filterFields, operatorsOf } from './conditions.ts';
import classes from './filter-bar.module.css';
import type { Condition } from './list-state.ts';

interface AddFilterProps {
  button: ButtonElement;
  attributes: readonly Attribute[];
  tags: readonly Tag[];
  onAdd(condition: Condition): void;
}

export default function AddFilter({ button, attributes, tags, onAdd }: AddFilterProps) {
  const { isOpened, setIsOpened, focusedButton } = useOpened(button);
  return (
    <Popover
      opened={isOpened}
      onChange={setIsOpened}
      position="bottom-start"
      trapFocus
      returnFocus
      withinPortal={false}
      width={300}
    >
      <Popover.Target>{cloneElement(focusedButton, { onClick: () => setIsOpened(!isOpened) })}</Popover.Target>
      <Popover.Dropdown aria-label="Add filter">
        <FilterForm
          fields={filterFields(attributes)}
          tags={tags}
          onAdd={(condition) => {
            setIsOpened(false);
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
