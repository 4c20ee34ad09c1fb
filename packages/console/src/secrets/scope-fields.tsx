// What a new secret may do: its permissions, and all bots or some of them.
import { NativeSelect } from '@mantine/core';
import type { Permission } from '@roster/contract';
import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../api/queries.ts';
import { Choices, itemsOf } from '../components/choices.tsx';
import type { FormState } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { useSignedIn } from '../session.tsx';

/** In the order of the contract. */
export const permissionTexts: Record<Permission, string> = {
  'contacts:read': 'Retrieve, search and export contacts.',
  'contacts:write': 'Create, update and delete contacts.',
  'tokens:write': 'Create and revoke the tokens by which the widget recognizes visitors.',
  'account:read': 'Read bots, secrets, members, invitations and the audit log.',
  'account:write': 'Change bots, secrets and members. For programs that manage this account.',
};

export const usualScope = { permissions: 'contacts:read contacts:write tokens:write', reach: 'all', bots: '' };
type ScopeValues = typeof usualScope;

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
              isLong
            />
          )}
        </Loaded>
      )}
    </>
  );
}
