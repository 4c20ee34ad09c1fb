// The form of a filter, by which one is added or changed: a field, a condition, and values.
import { Button, Checkbox, NativeSelect, Popover, TextInput } from '@mantine/core';
import type { Attribute, Tag } from '@roster/client';
import { useQuery } from '@tanstack/react-query';
import { cloneElement, type FormEvent, type ReactNode, useId, useState } from 'react';
import { attributeValuesQuery } from '../api/queries.ts';
import { Chip } from '../components/chip.tsx';
import { type ButtonElement, useOpened } from '../components/use-opened.ts';
import { useSignedIn } from '../session.tsx';
import {
  conditionsFor,
  type Filter,
  type FilterField,
  filterFields,
  type Operator,
  operatorsOf,
} from './conditions.ts';
import classes from './filter-bar.module.css';
import type { Condition } from './list-state.ts';

interface FilterPopupProps {
  button: ButtonElement;
  botId: string;
  attributes: readonly Attribute[];
  tags: readonly Tag[];
  /** The filter to change. Left out: a new one. */
  filter?: Filter;
  onApply(conditions: Condition[]): void;
}

export default function FilterPopup({ button, onApply, ...props }: FilterPopupProps) {
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
      <Popover.Dropdown className={classes.popup ?? ''}>
        <FilterForm
          {...props}
          onApply={(conditions) => {
            setIsOpened(false);
            onApply(conditions);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

/** Inputs that take any number of values, which are kept in a list. */
const severalValues: readonly Operator['input'][] = ['texts', 'numbers', 'tags', 'choices'];

function FilterForm({ botId, attributes, tags, filter, onApply }: Omit<FilterPopupProps, 'button'>) {
  const fields = filterFields(attributes);
  const { operator: firstOperator, typed: given = [] } = filter?.form ?? {};
  const [name, setName] = useState(filter?.field?.name ?? 'tag');
  const [label, setLabel] = useState(firstOperator?.label);
  // One value is changed where it is typed; of several, each is removed or another one added.
  const isOne = given.length === 1 && firstOperator?.input !== 'tags' && firstOperator?.input !== 'choices';
  const [values, setValues] = useState<readonly string[]>(isOne ? [] : given);
  // Undefined: nothing was typed yet. A field that was emptied stays empty.
  const [typed, setTyped] = useState(isOne ? given[0] : undefined);
  const field = fields.find((each) => each.name === name) ?? (fields[0] as FilterField);
  const operators = operatorsOf[field.kind];
  const operator = operators.find((each) => each.label === label) ?? (operators[0] as Operator);
  const { input } = operator;
  const isList = severalValues.includes(input);
  // A list has something chosen from the start.
  const last = typed ?? firstChoice(input, tags);
  const all = [...(isList ? values : []), ...(last.trim() === '' ? [] : [last])];
  const isReady = input === 'none' || all.length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onApply(conditionsFor(field, operator, all));
  };
  const startAnew = () => {
    setTyped(undefined);
    setValues([]);
  };
  const value = {
    label: 'Value',
    value: last,
    onChange: (event: { currentTarget: { value: string } }) => setTyped(event.currentTarget.value),
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <NativeSelect
        label="Field"
        data-autofocus={filter === undefined || undefined}
        data={fields.map((each) => ({ value: each.name, label: each.label }))}
        value={field.name}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setLabel(undefined);
          startAnew();
        }}
      />
      {operators.length > 1 && (
        <NativeSelect
          label="Condition"
          data-autofocus={filter !== undefined || undefined}
          data={operators.map((each) => each.label)}
          value={operator.label}
          onChange={(event) => {
            const next = operators.find((each) => each.label === event.currentTarget.value);
            setLabel(next?.label);
            // "Is" and "is not" take the same values.
            if (next?.input !== input) startAnew();
          }}
        />
      )}
      {/^tags?$/.test(input) && tags.length === 0 && <p className={classes.hint}>This bot has no tags yet.</p>}
      {input === 'tag' && tags.length > 0 && <NativeSelect {...value} data={tags.map(({ name: tag }) => tag)} />}
      {input === 'tags' && tags.length > 0 && (
        <ValueBoxes known={tags.map(({ name: tag }) => tag)} chosen={values} onChoose={setValues} />
      )}
      {input === 'choices' && (
        <ValueBoxes known={field.attribute?.choices ?? []} chosen={values} onChoose={setValues} />
      )}
      {input === 'boolean' && (
        <NativeSelect
          {...value}
          data={[
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
        />
      )}
      {(input === 'texts' || input === 'numbers') && (
        <ValueList
          values={values}
          typed={last}
          onChange={(next) => {
            setValues(next);
            setTyped(undefined);
          }}
        >
          {input === 'texts' ? (
            <SuggestingInput {...value} botId={botId} attributeKey={field.attribute?.key ?? ''} />
          ) : (
            <TextInput {...value} type="number" step="any" />
          )}
        </ValueList>
      )}
      {input === 'text' && <TextInput {...value} autoComplete="off" />}
      {input === 'day' && <TextInput {...value} type="date" />}
      {input === 'number' && <TextInput {...value} type="number" step="any" />}
      {input === 'days' && <TextInput {...value} type="number" min={1} max={36_500} step={1} />}
      <Button type="submit" size="xs" disabled={!isReady}>
        Apply
      </Button>
    </form>
  );
}

function firstChoice(input: Operator['input'], tags: readonly Tag[]): string {
  if (input === 'boolean') return 'true';
  return input === 'tag' ? (tags[0]?.name ?? '') : input === 'days' ? '30' : '';
}

interface ValueBoxesProps {
  known: readonly string[];
  chosen: readonly string[];
  onChoose(values: readonly string[]): void;
}

/** Above it, a field narrows the boxes. */
const boxesSearched = 10;

function ValueBoxes({ known, chosen, onChoose }: ValueBoxesProps) {
  const [part, setPart] = useState('');
  // What is chosen and known no more, such as a tag that was deleted, can be unchecked.
  const all = [...known, ...chosen.filter((value) => !known.includes(value))];
  const shown = all.filter(
    (value) => chosen.includes(value) || value.toLowerCase().includes(part.trim().toLowerCase()),
  );
  return (
    <fieldset className={classes.boxes}>
      <legend>Values</legend>
      {all.length > boxesSearched && (
        <TextInput
          size="xs"
          aria-label="Search values"
          placeholder="Search"
          autoComplete="off"
          value={part}
          onChange={(event) => setPart(event.currentTarget.value)}
        />
      )}
      <div className={classes.boxList}>
        {shown.map((value) => (
          <Checkbox
            key={value}
            size="xs"
            label={value}
            checked={chosen.includes(value)}
            onChange={({ currentTarget: { checked } }) =>
              onChoose(checked ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

interface ValueListProps {
  values: readonly string[];
  typed: string;
  onChange(values: readonly string[]): void;
  children: ReactNode;
}

function ValueList({ values, typed, onChange, children }: ValueListProps) {
  return (
    <>
      {values.length > 0 && (
        <ul className={classes.bar} aria-label="Values">
          {values.map((value) => (
            <Chip
              key={value}
              text={value}
              removeLabel={`Remove value: ${value}`}
              onRemove={() => onChange(values.filter((each) => each !== value))}
            />
          ))}
        </ul>
      )}
      {children}
      <Button
        variant="default"
        size="xs"
        disabled={typed.trim() === ''}
        onClick={() => onChange([...new Set([...values, typed.trim()])])}
      >
        Add another value
      </Button>
    </>
  );
}

interface SuggestingInputProps {
  label: string;
  value: string;
  onChange(event: { currentTarget: { value: string } }): void;
  botId: string;
  attributeKey: string;
}

/** Suggests values that contacts have. */
function SuggestingInput({ botId, attributeKey, ...input }: SuggestingInputProps) {
  const { data: known = [] } = useQuery(attributeValuesQuery(useSignedIn().connection, botId, attributeKey));
  const listId = useId();
  return (
    <>
      <TextInput {...input} autoComplete="off" list={listId} />
      <datalist id={listId}>
        {known.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  );
}
