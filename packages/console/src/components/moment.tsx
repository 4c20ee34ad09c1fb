// A point in time, in the reader's own zone; the exact one is in the title.

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

export function Moment({ at, isDate = false }: { at: string; isDate?: boolean }) {
  return (
    <time dateTime={at} title={at}>
      {(isDate ? date : dateTime).format(new Date(at))}
    </time>
  );
}

export const count = (value: number): string => value.toLocaleString();

/** "1 contact", "2,000 contacts". */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
