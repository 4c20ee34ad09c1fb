// Whether a client takes a compressed answer.

const form = {
  gzip: /(?:^|,)\s*gzip\s*(?:;\s*q=([0-9.]+))?\s*(?:,|$)/i,
  br: /(?:^|,)\s*br\s*(?:;\s*q=([0-9.]+))?\s*(?:,|$)/i,
};

type AcceptEncoding = string | string[] | undefined;

export const acceptsGzip = (acceptEncoding: AcceptEncoding): boolean => accepts('gzip', acceptEncoding);
export const acceptsBrotli = (acceptEncoding: AcceptEncoding): boolean => accepts('br', acceptEncoding);

function accepts(encoding: 'gzip' | 'br', acceptEncoding: AcceptEncoding): boolean {
  const offered = String(acceptEncoding ?? '');
  const [, quality] = form[encoding].exec(offered) ?? [undefined, '0'];
  return quality === undefined || Number(quality) > 0;
}
