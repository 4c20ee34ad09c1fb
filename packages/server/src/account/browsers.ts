// Which browser a session is of, in a few words, from what it says about itself. Whatever it says, the words are short
// and of our own choice: the text is a stranger's.

/** The first match counts: most browsers also name other browsers, to be served their pages. */
const names: [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
];

const systems: [name: string, pattern: RegExp][] = [
  ['Windows', /\bWindows\b/],
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];

/** As in "Firefox on Windows"; empty when nothing is known. */
export function describeBrowser(userAgent = ''): string {
  const find = (known: typeof names) => known.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return [find(names), find(systems)].filter((part) => part !== undefined).join(' on ');
}
