// The table of contacts; on a phone each row is a card. Names are rendered as text, never as markup. Not Mantine's table,
// which brings along its scroll areas: a tenth of the page's script.
import { Checkbox, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { ContactSort } from '@roster/client';
import type { IncludingContact } from '@roster/contract';
import { CopyIcon } from '../components/copy.tsx';
import { Icon } from '../components/icons.tsx';
import { type Column, nameColumn } from './columns.ts';
import { ContactCell } from './contact-cell.tsx';
import classes from './contact-table.module.css';
import { contactLink } from './list-state.ts';
import { useIsTooWide } from './use-sticky.ts';

interface ContactTableProps {
  botId: string;
  contacts: readonly IncludingContact[];
  columns: readonly Column[];
  sort: ContactSort;
  onSort(sort: ContactSort): void;
  /** The parameters of the list, to which the page of a contact leads back. */
  list: string;
  /** Whether these are the results of the previous query, while the current one is in flight. */
  isOutdated: boolean;
  selected: ReadonlySet<string>;
  /** Left out: contacts cannot be selected. */
  onSelect: ((selected: ReadonlySet<string>) => void) | undefined;
}

export function ContactTable(props: ContactTableProps) {
  const { botId, contacts, columns, sort, onSort, list, isOutdated, selected, onSelect } = props;
  const toggle = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(selected);
    for (const id of ids) isOn ? next.add(id) : next.delete(id);
    onSelect?.(next);
  };
  const [ref, isTooWide] = useIsTooWide();
  return (
    <div ref={ref} className={classes.wrap} data-wide={isTooWide || undefined} data-outdated={isOutdated || undefined}>
      <table className={classes.table} aria-busy={isOutdated}>
        <thead>
          <tr>
            {onSelect && (
              <th className={classes.check}>
                <Checkbox
                  aria-label="Select all on this page"
                  checked={selected.size > 0 && selected.size === contacts.length}
                  indeterminate={selected.size > 0 && selected.size < contacts.length}
                  onChange={(event) =>
                    toggle(
                      contacts.map(({ id }) => id),
                      event.currentTarget.checked,
                    )
                  }
                />
              </th>
            )}
            <ColumnTitle column={nameColumn} sort={sort} onSort={onSort} />
            {columns.map((column) => (
              <ColumnTitle key={column.key} column={column} sort={sort} onSort={onSort} />
            ))}
            <th className={classes.id}>
              <VisuallyHidden>ID</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {contacts.map((contact) => (
            <tr key={contact.id} data-selected={selected.has(contact.id) || undefined}>
              {onSelect && (
                <td className={classes.check}>
                  <Checkbox
                    aria-label={`Select ${contact.name}`}
                    data-contact={contact.id}
                    checked={selected.has(contact.id)}
                    onChange={(event) => toggle([contact.id], event.currentTarget.checked)}
                  />
                </td>
              )}
              <td className={classes.name}>
                <a href={contactLink(botId, contact.id, list)} data-contact={contact.id}>
                  {contact.name}
                </a>
              </td>
              {columns.map((column) => (
                <ContactCell key={column.key} contact={contact} column={column} />
              ))}
              <td className={classes.id}>
                <CopyIcon text={contact.id} label={`Copy the ID of ${contact.name}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ColumnTitleProps {
  column: Column;
  sort: ContactSort;
  onSort(sort: ContactSort): void;
}

function ColumnTitle({ column, sort, onSort }: ColumnTitleProps) {
  const { label, sort: field } = column;
  const className = column === nameColumn ? classes.title : undefined;
  if (field === undefined) return <th className={className}>{label}</th>;
  const isAscending = sort === field;
  const isSorted = isAscending || sort === `-${field}`;
  const isTime = field.endsWith('At');
  /** Text begins at A, and times with the latest. A second click turns the order around. */
  const next = isSorted ? (isAscending ? (`-${field}` as const) : field) : isTime ? (`-${field}` as const) : field;
  return (
    <th className={className} aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : 'none'}>
      <UnstyledButton className={classes.sort ?? ''} onClick={() => onSort(next)}>
        <span className={classes.label}>{label}</span>
        <span className={classes.arrow} data-sorted={isSorted || undefined}>
          <Icon name={isSorted ? (isAscending ? 'up' : 'down') : isTime ? 'down' : 'up'} size={14} />
        </span>
      </UnstyledButton>
    </th>
  );
}
