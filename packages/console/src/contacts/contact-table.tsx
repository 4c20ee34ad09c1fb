// The table of contacts; on a phone each row is a card. Names are rendered as text, never as markup. Not Mantine's table,
// which brings along its scroll areas: a tenth of the page's script.
import { Checkbox, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { ContactSort } from '@roster/client';
import type { IncludingContact } from '@roster/contract';
import type { MouseEvent } from 'react';
import { CopyIcon } from '../components/copy.tsx';
import { Icon } from '../components/icons.tsx';
import { type Column, isNumeric, nameColumn } from './columns.ts';
import { ContactCell } from './contact-cell.tsx';
import classes from './contact-table.module.css';
import { contactLink } from './list-state.ts';
import type { Selection } from './use-selection.ts';
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
  /** Left out: contacts cannot be selected. */
  selection: Selection | undefined;
  /** The contact in the panel beside the table. */
  peeked: string | undefined;
  onPeek(id: string): void;
}

export function ContactTable(props: ContactTableProps) {
  const { botId, contacts, columns, sort, onSort, list, isOutdated, selection, peeked, onPeek } = props;
  const onRowClick = (event: MouseEvent) => {
    const target = event.target as Element;
    const id = target.closest('tr')?.dataset['contact'];
    // What can be pressed in a row does something else, and so does selecting a text in it.
    const isRow = target.closest('a, button, input, label') === null && getSelection()?.isCollapsed !== false;
    if (id === undefined || !isRow) return;
    if (selection && (event.shiftKey || target.closest('td')?.matches(`.${classes.check}`))) {
      selection.toggle(id, event.shiftKey);
    } else onPeek(id);
  };
  const [ref, isTooWide] = useIsTooWide();
  return (
    <div ref={ref} className={classes.wrap} data-wide={isTooWide || undefined} data-outdated={isOutdated || undefined}>
      <table className={classes.table} aria-busy={isOutdated}>
        <thead>
          <tr>
            {selection && (
              <th className={classes.check}>
                <Checkbox
                  aria-label="Select all on this page"
                  checked={selection.ids.size > 0 && selection.ids.size === contacts.length}
                  indeterminate={selection.ids.size > 0 && selection.ids.size < contacts.length}
                  onChange={selection.togglePage}
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
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the space bar does the same on a name. */}
        <tbody
          onClick={onRowClick}
          // A range of rows, and not of text.
          onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        >
          {contacts.map((contact) => (
            <tr
              key={contact.id}
              data-contact={contact.id}
              data-selected={selection?.ids.has(contact.id) || undefined}
              aria-current={contact.id === peeked || undefined}
            >
              {selection && (
                <td className={classes.check}>
                  <Checkbox
                    aria-label={`Select ${contact.name}`}
                    checked={selection.ids.has(contact.id)}
                    onChange={({ nativeEvent }) =>
                      selection.toggle(contact.id, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
                    }
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
  const className = column === nameColumn ? classes.title : isNumeric(column) ? classes.number : undefined;
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
