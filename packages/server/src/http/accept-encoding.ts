// Whether a client takes a compressed answer.

export function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  const offered = String(acceptEncoding ?? '');
  const [, quality] = /(?:^|,)\s*gzip\s*(?:;\s*q=([0-9.]+))?\s*(?:,|$)/i.exec(offered) ?? [undefined, '0'];
  return quality === undefined || Number(quality) > 0;
}
