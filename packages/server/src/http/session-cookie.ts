// The cookie that carries a session: its name, and the attributes that keep it from scripts, other sites and plain HTTP.
import { sessionCookie } from '@roster/contract';

export interface SessionCookie {
  /** The session's token in a `Cookie` header, if there is one. */
  read(header: string | undefined): string | undefined;
  /** The `Set-Cookie` header that begins a session. */
  begin(token: string, lifeMs: number): string;
  /** And the one that ends it. */
  end(): string;
}

export function sessionCookieOf(publicUrl: string): SessionCookie {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? sessionCookie.secure : sessionCookie.plain;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    read(header) {
      for (const pair of header?.split(';') ?? []) {
        const [key = '', ...value] = pair.split('=');
        if (key.trim() === name) return value.join('=').trim();
      }
      return undefined;
    },
    begin: (token, lifeMs) => `${name}=${token}; Max-Age=${Math.floor(lifeMs / 1000)}; ${attributes}`,
    end: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}
