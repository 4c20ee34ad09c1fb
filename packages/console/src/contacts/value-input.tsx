// The input for a value of each type: typed, or chosen from a list.
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { ChangeEvent, KeyboardEvent, ReactNode, Ref } from 'react';
import type { FieldType } from './attribute-value.tsx';

interface ValueInputProps {
  type: FieldType;
  choices?: readonly string[] | undefined;
  /** Left out: one line. */
  isMultiline?: boolean;
  label?: string;
  'aria-label'?: string;
  description?: string | undefined;
  placeholder?: string | undefined;
  required?: boolean;
  name?: string;
  value: string;
  error?: ReactNode;
  onChange(event: ChangeEvent<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>): void;
  onKeyDown?(event: KeyboardEvent): void;
  ref?: Ref<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>;
}

/** Inputs of one row stand in line, whether they have a description or not. */
const order: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];
const noValue = { value: '', label: 'No value' };
const yesOrNo = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

export function ValueInput({ type, choices = [], isMultiline = false, placeholder, ...rest }: ValueInputProps) {
  const props = { ...rest, inputWrapperOrder: order };
  if (type === 'boolean') return <NativeSelect {...props} data={[noValue, ...yesOrNo]} />;
  if (type === 'choice') return <NativeSelect {...props} data={[noValue, ...choices]} />;
  if (isMultiline) return <Textarea {...props} rows={4} autoComplete="off" />;
  const isDay = type === 'date' && /^(?:\d{4}-\d\d-\d\d)?$/.test(props.value);
  const kind = type === 'email' || type === 'tel' ? type : 'text';
  return (
    <TextInput
      {...props}
      placeholder={placeholder}
      autoComplete="off"
      type={isDay ? 'date' : kind}
      // Not an input of numbers: it would hide what it cannot read, and that would be taken for no value.
      {...(type === 'number' && { inputMode: 'decimal' as const })}
    />
  );
}
