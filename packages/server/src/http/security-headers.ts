// Headers of every answer. Answers hold personal data and are never meant to be shown, framed or cached.
// Few on purpose: each costs as much as a tenth of a read of the database.

export function securityHeaders(publicUrl: string): Record<string, string> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  };
}
