// Contact tokens: issuing one for a contact, and revoking it.
import type { ContactIdentity, ContactToken } from './api-types.ts';
import { operations } from './operations.ts';
import type { RequestOptions, Result, Transport } from './transport.ts';

export class ContactTokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A token by which the widget recognizes this contact, valid for one year or `expiresIn` seconds. A contact may hold several. */
  async tokenize(contact: ContactIdentity, options?: RequestOptions): Promise<Result<ContactToken>> {
    const call = { operation: operations.tokenizeContact, body: contact };
    return this.#transport.resultOf(call, options);
  }

  /**
   * Revokes a token. Rejects with `NotFoundError` when it is not known; but when the answer to a first try was lost, a
   * second try that finds none is a success: 204.
   */
  async revoke({ contactToken }: { contactToken: string }, options?: RequestOptions): Promise<Result<null>> {
    const call = {
      operation: operations.revokeContactToken,
      path: { token: contactToken },
      secrets: [contactToken],
    };
    return this.#transport.resultOf(call, options);
  }
}
