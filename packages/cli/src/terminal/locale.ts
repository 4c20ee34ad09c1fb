// Numbers and times for the person at the terminal, in the locale and the time zone of their shell. JSON, exported files
// and everything else that programs read has its own fixed form and does not come here.

/** An environment without a language has the locale `und`, whose dates nobody writes. */
const { locale } = new Intl.NumberFormat().resolvedOptions();
const readable = locale === 'und' ? 'en' : locale;

const whole = new Intl.NumberFormat(readable);
const tenths = new Intl.NumberFormat(readable, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const day = new Intl.DateTimeFormat(readable, { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat(readable, { dateStyle: 'medium', timeStyle: 'short' });
const second = new Intl.DateTimeFormat(readable, { dateStyle: 'short', timeStyle: 'medium' });

export const count = (value: number): string => whole.format(value);
export const rows = (value: number): string => `${count(value)} ${value === 1 ? 'row' : 'rows'}`;
export const contacts = (value: number): string => `${count(value)} ${value === 1 ? 'contact' : 'contacts'}`;
export const mebibytes = (bytes: number): string => tenths.format(bytes / 1024 ** 2);
export const date = (timestamp: string): string => day.format(new Date(timestamp));
export const time = (timestamp: string): string => minute.format(new Date(timestamp));
/** To the second, and short: for the begin of a line. */
export const moment = (timestamp: string): string => second.format(new Date(timestamp));
