// The form for changing a segment: its name, search, filters and order.
import { NativeSelect, TextInput } from '@mantine/core';
import type { Attribute, ContactSort, Segment, Tag } from '@roster/client';
import { limits } from '@roster/contract/limits';
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../api/queries.ts';
import { Dialog } from '../components/confirm.tsx';
import { Form, FormButtons, useForm } from '../components/form.tsx';
import { useNotify } from '../components/notices.tsx';
import { FilterBar } from '../contacts/filter-bar.tsx';
import { type Condition, conditionsOf } from '../contacts/list-state.ts';
import { definitionOf } from '../contacts/save-segment.tsx';
import { useSignedIn } from '../session.tsx';
import classes from './segment-form.module.css';

const orders: { value: ContactSort; label: string }[] = [
  { value: '-createdAt', label: 'Newest first' },
  { value: 'createdAt', label: 'Oldest first' },
  { value: '-updatedAt', label: 'Last updated first' },
  { value: 'updatedAt', label: 'Last updated last' },
  { value: 'name', label: 'Name, A to Z' },
  { value: '-name', label: 'Name, Z to A' },
  { value: 'email', label: 'Email, A to Z' },
  { value: '-email', label: 'Email, Z to A' },
];

interface SegmentFormProps {
  botId: string;
  segment: Segment;
  attributes: readonly Attribute[];
  tags: readonly Tag[];
  onClose(): void;
}

export function SegmentForm({ botId, segment, attributes, tags, onClose }: SegmentFormProps) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const { key, label, query, filter, sort } = segment;
  const form = useForm(
    { label, query: query ?? '', conditions: JSON.stringify(conditionsOf(filter)), sort: sort as string },
    (values) => {
      const conditions = JSON.parse(values.conditions) as Condition[];
      const changed = { ...values, query: values.query.trim(), conditions, sort: values.sort as ContactSort };
      return connection.segmentsOf(botId).define(key, definitionOf(changed, attributes));
    },
    () => {
      queries.invalidateQueries({ queryKey: keys.segments(botId) });
      queries.invalidateQueries({ queryKey: keys.contacts(botId) });
      notify('Saved.');
      onClose();
    },
  );
  const conditions = JSON.parse(form.values.conditions) as Condition[];
  return (
    <Dialog title={`Edit ${label}`} onClose={onClose} size="lg">
      {/* Beside the form, because a filter has a form of its own. */}
      <section className={classes.filters} aria-label="Filters of the segment">
        <FilterBar
          botId={botId}
          list={{ conditions, segment: undefined }}
          attributes={attributes}
          tags={tags}
          segments={[]}
          onChange={(changes) => form.set({ conditions: JSON.stringify(changes.conditions ?? []) })}
        />
      </section>
      <Form form={form} label="Segment">
        <TextInput
          label="Name"
          required
          data-autofocus
          autoComplete="off"
          maxLength={limits.segmentLabelLength}
          {...form.field('label')}
        />
        <TextInput
          label="Search"
          description="Words that must occur in the name, email, phone, ID or a text attribute. Optional."
          autoComplete="off"
          {...form.field('query')}
        />
        <NativeSelect label="Order" data={orders} {...form.field('sort')} />
        <FormButtons form={form} submitLabel="Save" onClose={onClose} />
      </Form>
    </Dialog>
  );
}
