// The cookies of the console, one that carries a session and one by which a browser is known: their names, and the
// attributes that keep them from scripts, other sites and plain HTTP.
import { deviceCookie, sessionCookie } from '@roster/contract';

export const sessionCookieOf = (publicUrl: string) => cookieOf(publicUrl, sessionCookie);
export const deviceCookieOf = (publicUrl: string) => cookieOf(publicUrl, deviceCookie);

function cookieOf(publicUrl: string, names: { secure: string; plain: string }) {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? names.secure : names.plain;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    /** Its value in a `Cookie` header, if there is one. */
    read(header: string | undefined): string | undefined {
      for (const pair of header?.split(';') ?? []) {
        const [key = '', ...value] = pair.split('=');
        if (key.trim() === name) return value.join('=').trim();
      }
      return undefined;
    },
    /** The `Set-Cookie` header that sets it. */
    begin: (value: string, lifeMs: number) => `${name}=${value}; Max-Age=${Math.floor(lifeMs / 1000)}; ${attributes}`,
    /** And the one that ends it. */
    end: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}
