// Revalidation: whether a client has the current version of an answer already (RFC 9110, 13.1.2).

/** Compared weakly, as a GET asks for: the compressed and the plain form of a version are the same to a cache. */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  if (ifNoneMatch === undefined || etag === undefined) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}
