// Numbers and times for the person at the terminal, in the locale and the time zone of their shell. JSON, exported files
// and everything else that programs read has its own fixed form and does not come here.

/** Made when it is first used: Intl takes 30 ms to load, and many commands print neither a number nor a time. */
function lazily<Format>(make: (locale: string) => Format): () => Format {
  let made: Format | undefined;
  return () => {
    made ??= make(findLocale());
    return made;
  };
}

/** An environment without a language has the locale `und`, whose dates nobody writes. */
function findLocale(): string {
  const { locale } = new Intl.NumberFormat().resolvedOptions();
  return locale === 'und' ? 'en' : locale;
}

const whole = lazily((locale) => new Intl.NumberFormat(locale));
const tenths = lazily(
  (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
);
const day = lazily((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }));
const minute = lazily((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }));
const second = lazily((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'medium' }));

export const count = (value: number): string => whole().format(value);
export const rows = (value: number): string => `${count(value)} ${value === 1 ? 'row' : 'rows'}`;
export const contacts = (value: number): string => `${count(value)} ${value === 1 ? 'contact' : 'contacts'}`;
export const mebibytes = (bytes: number): string => tenths().format(bytes / 1024 ** 2);
export const date = (timestamp: string): string => day().format(new Date(timestamp));
export const time = (timestamp: string): string => minute().format(new Date(timestamp));
/** To the second, and short: for the begin of a line. */
export const moment = (timestamp: string): string => second().format(new Date(timestamp));
