// One value of a contact in the list.
import type { IncludingContact } from '@roster/contract';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Moment } from '../components/moment.tsx';
import { shownValue } from './attribute-value.tsx';
import { type Column, isNumeric } from './columns.ts';
import classes from './contact-table.module.css';

export function ContactCell({ contact, column }: { contact: IncludingContact; column: Column }) {
  const value = shownCell(contact, column);
  return (
    <td
      className={isNumeric(column) ? `${classes.value} ${classes.number}` : classes.value}
      data-label={column.key === 'email' ? undefined : column.label}
      data-empty={value === undefined || undefined}
    >
      {value ?? <span className={classes.empty}>–</span>}
    </td>
  );
}

/** Undefined when there is none. */
function shownCell(contact: IncludingContact, { key, attribute }: Column): ReactNode {
  if (attribute !== undefined) return shownValue(attribute, contact.attributes?.[attribute.key]);
  switch (key) {
    case 'phone':
      return contact.phone || (contact.wid && <WhatsApp number={contact.wid} />) || undefined;
    case 'tags':
      return contact.tags !== undefined && contact.tags.length > 0 ? (
        <Tags key={contact.tags.join()} names={contact.tags} />
      ) : undefined;
    case 'createdAt':
    case 'updatedAt':
      return <Moment at={contact[key]} isDate />;
    case 'lastSeenAt':
      return contact.lastSeenAt ? <Moment at={contact.lastSeenAt} isDate /> : undefined;
    case 'email':
    case 'wid':
    case 'mid':
      return contact[key] || undefined;
    default:
      return undefined;
  }
}

/** A contact without a phone may have a WhatsApp number, which is not one to call. */
function WhatsApp({ number }: { number: string }) {
  return (
    <>
      {number} <span className={classes.kind}>WhatsApp</span>
    </>
  );
}

/** As many as fit into a line, and how many more there are. */
function Tags({ names }: { names: readonly string[] }) {
  const line = useRef<HTMLSpanElement>(null);
  const [fitting, setFitting] = useState(names.length);
  useLayoutEffect(() => {
    const { clientHeight = 0, children = [] } = line.current ?? {};
    setFitting(Array.from(children).filter((tag) => (tag as HTMLElement).offsetTop < clientHeight).length);
  }, []);
  return (
    <span className={classes.tags} title={names.join(', ')}>
      <span ref={line} className={classes.tagLine}>
        {names.slice(0, fitting).map((name) => (
          <span key={name} className={classes.tag}>
            {name}
          </span>
        ))}
      </span>
      {fitting < names.length && <span className={classes.more}>+{names.length - fitting}</span>}
    </span>
  );
}
