// The cookie that carries a session: its name, and the attributes that keep it from scripts, other sites and plain HTTP.
import { sessionCookie } from '@roster/contract';

export function sessionCookieOf(publicUrl: string) {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? sessionCookie.secure : sessionCookie.plain;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    /** The session's token in a `Cookie` header, if there is one. */
    read(header: string | undefined): string | undefined {
      for (const pair of header?.split(';') ?? []) {
        const [key = '', ...value] = pair.split('=');
        if (key.trim() === name) return value.join('=').trim();
      }
      return undefined;
    },
    /** The `Set-Cookie` header that begins a session. */
    begin: (token: string, lifeMs: number) => `${name}=${token}; Max-Age=${Math.floor(lifeMs / 1000)}; ${attributes}`,
    /** And the one that ends it. */
    end: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}
