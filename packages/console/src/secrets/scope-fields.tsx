// What a new secret may do: its permissions, and all bots or some of them.
import { Checkbox, NativeSelect } from '@mantine/core';
import type { Permission } from '@roster/contract';
import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../api/queries.ts';
import type { FormState } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { useSignedIn } from '../session.tsx';
import classes from './scope.module.css';

/** In the order of the contract. */
export const permissionTexts: Record<Permission, string> = {
  'contacts:read': 'Retrieve, search and export contacts.',
  'contacts:write': 'Create, update and delete contacts.',
  'tokens:write': 'Create and revoke the tokens by which the widget recognizes visitors.',
  'account:read': 'Read bots, secrets, members, invitations and the audit log.',
  'account:write': 'Change bots, secrets and members. For programs that manage this account.',
};

/** The fields of a form are text, so lists are joined by spaces. */
export const usualScope = { permissions: 'contacts:read contacts:write tokens:write', reach: 'all', bots: '' };
type ScopeValues = typeof usualScope;

const itemsOf = (list: string): string[] => list.split(' ').filter((item) => item !== '');

export function scopeOf({ permissions, reach, bots }: ScopeValues) {
  return { permissions: itemsOf(permissions) as Permission[], bots: reach === 'all' ? null : itemsOf(bots) };
}

const reaches = [
  { value: 'all', label: 'All bots, including new ones' },
  { value: 'some', label: 'Only the bots I choose' },
];

type ScopeForm = Pick<FormState<ScopeValues>, 'values' | 'field' | 'set'>;

export function ScopeFields({ form }: { form: ScopeForm }) {
  const { connection } = useSignedIn();
  const bots = useQuery(botsQuery(connection));
  const permissions = Object.entries(permissionTexts).map(([id, text]) => ({ id, label: id, text }));
  return (
    <>
      <Choices form={form} name="permissions" legend="Permissions" items={permissions} />
      <NativeSelect label="Bots" data={reaches} {...form.field('reach')} />
      {form.values.reach === 'some' && (
        <Loaded query={bots}>
          {(all) => (
            <Choices
              form={form}
              name="bots"
              legend="Chosen bots"
              items={all.map(({ id, name }) => ({ id, label: name }))}
            />
          )}
        </Loaded>
      )}
    </>
  );
}

interface ChoicesProps {
  form: ScopeForm;
  name: 'permissions' | 'bots';
  legend: string;
  items: { id: string; label: string; text?: string }[];
}

function Choices({ form, name, legend, items }: ChoicesProps) {
  const chosen = itemsOf(form.values[name]);
  const { error } = form.field(name);
  const toggle = (id: string, isChosen: boolean) => {
    const kept = chosen.filter((other) => other !== id);
    form.set({ [name]: (isChosen ? [...kept, id] : kept).join(' ') });
  };
  return (
    <fieldset className={classes.choices} data-scrolls={name === 'bots' || undefined}>
      <legend>{legend}</legend>
      {items.map(({ id, label, text }, at) => (
        <Checkbox
          key={id}
          label={label}
          description={text}
          checked={chosen.includes(id)}
          onChange={(event) => toggle(id, event.currentTarget.checked)}
          // The first one gets the focus after an error.
          aria-invalid={error !== undefined && at === 0}
        />
      ))}
      {error !== undefined && <p className={classes.error}>{error}</p>}
    </fieldset>
  );
}
