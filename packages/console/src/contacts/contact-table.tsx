// The table of contacts; on a phone each row is a card. Names are rendered as text, never as markup.
import { Checkbox, Table, VisuallyHidden } from '@mantine/core';
import type { Contact } from '@roster/client';
import { CopyIcon } from '../components/copy.tsx';
import { Moment } from '../components/moment.tsx';
import { linkTo } from '../router.ts';
import classes from './contact-table.module.css';

interface ContactTableProps {
  botId: string;
  contacts: readonly Contact[];
  /** Whether these are the results of the previous query, while the current one is in flight. */
  isOutdated: boolean;
  query: string;
  selected: ReadonlySet<string>;
  /** Left out: contacts cannot be selected. */
  onSelect: ((selected: ReadonlySet<string>) => void) | undefined;
}

export function ContactTable({ botId, contacts, isOutdated, query, selected, onSelect }: ContactTableProps) {
  if (contacts.length === 0) {
    return (
      <p className={classes.none}>
        {query === ''
          ? 'There is nothing on this page.'
          : `Nobody matches “${query}”. Every word has to occur somewhere.`}
      </p>
    );
  }
  const shownSelected = contacts.filter(({ id }) => selected.has(id)).length;
  const toggle = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(selected);
    for (const id of ids) isOn ? next.add(id) : next.delete(id);
    onSelect?.(next);
  };
  return (
    <div className={classes.wrap} data-outdated={isOutdated || undefined}>
      <Table className={classes.table ?? ''} verticalSpacing="sm" highlightOnHover aria-busy={isOutdated}>
        <Table.Thead>
          <Table.Tr>
            {onSelect && (
              <Table.Th className={classes.check ?? ''}>
                <Checkbox
                  aria-label="Select all on this page"
                  checked={shownSelected === contacts.length}
                  indeterminate={shownSelected > 0 && shownSelected < contacts.length}
                  onChange={(event) =>
                    toggle(
                      contacts.map(({ id }) => id),
                      event.currentTarget.checked,
                    )
                  }
                />
              </Table.Th>
            )}
            <Table.Th className={classes.title ?? ''}>Name</Table.Th>
            <Table.Th>Email</Table.Th>
            <Table.Th>Phone</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>
              <VisuallyHidden>Id</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {contacts.map(({ id, name, email, phone, wid, createdAt }) => (
            <Table.Tr key={id} data-selected={selected.has(id) || undefined}>
              {onSelect && (
                <Table.Td className={classes.check ?? ''}>
                  <Checkbox
                    aria-label={`Select ${name}`}
                    checked={selected.has(id)}
                    onChange={(event) => toggle([id], event.currentTarget.checked)}
                  />
                </Table.Td>
              )}
              <Table.Td className={classes.name ?? ''}>
                <a href={linkTo(['bots', botId, 'contacts', id])}>{name}</a>
              </Table.Td>
              <Table.Td className={classes.email ?? ''}>{email}</Table.Td>
              <Table.Td className={classes.phone ?? ''}>
                {phone || wid || <span className={classes.empty}>–</span>}
              </Table.Td>
              <Table.Td className={classes.created ?? ''}>
                <Moment at={createdAt} isDate />
              </Table.Td>
              <Table.Td className={classes.id ?? ''}>
                <CopyIcon text={id} label={`Copy the id of ${name}`} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
