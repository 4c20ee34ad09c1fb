// The server side of recognizing a visitor: three calls of the Roster client, with the organization's secret. Copy this
// file into your own server; the secret never leaves it.
import { Roster } from '@roster/client';

export interface RosterAccess {
  /** Address of the service, without a slash at the end. */
  url: string;
  botId: string;
  secret: string;
}

export class Visitors {
  readonly #roster: Roster;

  constructor({ url, botId, secret }: RosterAccess) {
    this.#roster = new Roster({ secret, botId, baseUrl: url });
  }

  /** Creates or updates the contact with this email. */
  async save(contact: { email: string; name: string }): Promise<void> {
    await this.#roster.contacts.upsert([contact]);
  }

  /** Issues a token by which the widget recognizes the contact for a year. */
  async mintToken(email: string): Promise<string> {
    const { data } = await this.#roster.auth.contacts.tokenize({ email });
    return data.token;
  }

  /** The token is invalid from now on, in every browser. */
  async revokeToken(contactToken: string): Promise<void> {
    await this.#roster.auth.contacts.revoke({ contactToken });
  }
}
