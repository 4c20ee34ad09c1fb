// The dialog that keeps the search, filters and order of the list as a segment.
import { TextInput } from '@mantine/core';
import type { Attribute, ContactFilter, SegmentDefinition } from '@roster/client';
import { limits } from '@roster/contract/limits';
import { useQueryClient } from '@tanstack/react-query';
import { keys } from '../api/queries.ts';
import { keyOfLabel } from '../attributes/key-of-label.ts';
import { Dialog } from '../components/confirm.tsx';
import { Form, FormButtons, useForm } from '../components/form.tsx';
import { useNotify } from '../components/notices.tsx';
import { navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import { readValue } from './attribute-value.tsx';
import { type Condition, filterOf, type ListState, listLink } from './list-state.ts';

interface SaveSegmentProps {
  botId: string;
  list: Pick<ListState, 'query' | 'conditions' | 'sort'>;
  attributes: readonly Attribute[];
  /** The keys in use, one of which must not be replaced by accident. */
  taken: readonly string[];
  onClose(): void;
}

export function SaveSegment({ botId, list, attributes, taken, onClose }: SaveSegmentProps) {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const notify = useNotify();
  const form = useForm(
    { label: '' },
    ({ label }) =>
      connection.segmentsOf(botId).define(freeKey(label, taken), definitionOf({ label, ...list }, attributes)),
    ({ data }) => {
      queries.invalidateQueries({ queryKey: keys.segments(botId) });
      notify(`${data.label} was saved.`);
      onClose();
      navigate(listLink(botId, new URLSearchParams({ segment: data.key })));
    },
  );
  return (
    <Dialog title="Save as segment" onClose={onClose}>
      <Form form={form} label="Segment">
        <TextInput
          label="Name"
          description="New matches join automatically."
          required
          data-autofocus
          autoComplete="off"
          maxLength={limits.segmentLabelLength}
          {...form.field('label')}
        />
        <FormButtons form={form} submitLabel="Save segment" onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function freeKey(label: string, taken: readonly string[]): string {
  const base = keyOfLabel(label) || 'segment';
  let key = base;
  for (let n = 2; taken.includes(key); n++) key = `${base.slice(0, limits.attributeKeyLength - 4)}_${n}`;
  return key;
}

export function definitionOf(
  { label, query, conditions, sort }: { label: string } & SaveSegmentProps['list'],
  attributes: readonly Attribute[],
): SegmentDefinition {
  const definition: SegmentDefinition = { label, filter: typedFilterOf(conditions, attributes) };
  if (query !== '') definition.query = query;
  if (sort !== undefined) definition.sort = sort;
  return definition;
}

/** In a segment values have their types; the address has texts. */
function typedFilterOf(conditions: readonly Condition[], attributes: readonly Attribute[]): ContactFilter {
  return filterOf(conditions, (key, text) => {
    const { type } = attributes.find((each) => each.key === key) ?? { type: 'text' as const };
    return readValue(type, text);
  });
}
