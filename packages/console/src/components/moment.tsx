// Dates in the user's time zone, with the exact time in the title; and numbers with a noun.

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
