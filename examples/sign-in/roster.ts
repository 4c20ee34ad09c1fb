// The server side of recognising a visitor: three calls of Roster's API, with the organization's secret. This is the
// part to take over into your own server; the secret never leaves it.

export interface RosterAccess {
  /** Address of the service, without a slash at the end. */
  url: string;
  botId: string;
  secret: string;
}

export class Roster {
  readonly #access: RosterAccess;

  constructor(access: RosterAccess) {
    this.#access = access;
  }

  /** The contact of this email is created, or brought up to date. */
  async saveContact(contact: { email: string; name: string }): Promise<void> {
    await this.#call('PATCH', 'contacts', { data: [contact] });
  }

  /** A token by which the widget recognises the contact, for a year. */
  async mintToken(email: string): Promise<string> {
    const { token } = (await this.#call('POST', 'auth/contact', { email })) as { token: string };
    return token;
  }

  /** From now on the token is worth nothing, wherever it is. */
  async revokeToken(token: string): Promise<void> {
    await this.#call('DELETE', `auth/contacts/${encodeURIComponent(token)}`);
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    const { url, botId, secret } = this.#access;
    const reply = await fetch(`${url}/v1/bots/${botId}/${path}`, {
      method,
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`Roster answered ${reply.status} to ${method} ${path.split('/', 1)[0]}.`);
    return reply.status === 204 ? undefined : await reply.json();
  }
}
