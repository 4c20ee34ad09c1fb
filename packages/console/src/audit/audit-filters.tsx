// What narrows the audit log: a person, a type of action, and days.
import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { membersQuery, secretsQuery } from '../api/queries.ts';
import { linkTo, navigate } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import classes from './audit-filters.module.css';
import { actionGroups } from './describe-entry.ts';

const everybody = { value: '', label: 'Everyone' };
const types = [{ value: '', label: 'All actions' }, ...Object.keys(actionGroups)];

export function AuditFilters({ parameters }: { parameters: URLSearchParams }) {
  const { connection } = useSignedIn();
  const { data: members = [] } = useQuery(membersQuery(connection));
  const { data: secrets = [] } = useQuery(secretsQuery(connection));
  const fieldOf = (name: 'actor' | 'type' | 'from' | 'to') => ({
    value: parameters.get(name) ?? '',
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      navigate(linkTo(['audit'], { ...Object.fromEntries(parameters), [name]: value }), {
        // A date changes with each digit of its year, which are no steps to go back by.
        isReplacing: name === 'from' || name === 'to',
      }),
  });
  const itemsOf = (all: readonly { id: string; name: string }[]) =>
    all.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className={classes.filters}>
      <NativeSelect
        aria-label="Who"
        size="xs"
        data={[
          everybody,
          { group: 'Members', items: itemsOf(members) },
          { group: 'Secrets', items: itemsOf(secrets) },
          { value: 'operator', label: 'The operator' },
        ]}
        {...fieldOf('actor')}
      />
      <NativeSelect aria-label="Type of action" size="xs" data={types} {...fieldOf('type')} />
      <TextInput label="From" type="date" size="xs" {...fieldOf('from')} />
      <TextInput label="To" type="date" size="xs" {...fieldOf('to')} />
    </div>
  );
}
