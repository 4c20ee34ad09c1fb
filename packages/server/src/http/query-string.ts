// Reads a query string as a tolerant server does: characters that need no encoding and broken escapes are taken as
// they are, and `+` is a space. A parameter that comes twice keeps both values, for validation to refuse.

/** Node's parser takes time that grows with the square of the names without `=`, of which a body may hold 128,000. */
export function readPairs(text: string): URLSearchParams {
  const withSign = (pair: string) => (pair === '' || pair.includes('=') ? pair : `${pair}=`);
  return new URLSearchParams(text.split('&').map(withSign).join('&'));
}

export function parseQueryString(text: string): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of readPairs(text)) {
    const earlier = values[name];
    if (earlier === undefined) values[name] = value;
    else if (typeof earlier === 'string') values[name] = [earlier, value];
    else earlier.push(value);
  }
  return values;
}
