// Checks the contacts that come with events: each must be as it was after the event, or newer. The writers number the changes of
// their own contacts in `mid`.
import type { ContactEvent } from '@roster/client';

export class IncludedContacts {
  readonly #problems: string[] = [];
  /** By contact: how many events there were so far that gave it a new `mid`. */
  readonly #versions = new Map<string, number>();
  /** They came without the contact, so that its deletion must follow. */
  readonly #gone = new Set<string>();

  check({ type, contactId, contact }: ContactEvent<'contact'>): void {
    if (contactId === null) return;
    if (type === 'contact.deleted') {
      if (contact !== null) this.#problems.push(`the deletion of ${contactId} came with the contact`);
      this.#gone.delete(contactId);
      return;
    }
    if (contact === null) this.#gone.add(contactId);
    if (type !== 'contact.created' && type !== 'contact.updated') return;
    const version = (this.#versions.get(contactId) ?? 0) + 1;
    this.#versions.set(contactId, version);
    // Shared contacts have no numbers.
    if (contact !== null && contact.mid !== '' && Number(contact.mid) < version) {
      this.#problems.push(`change ${version} of ${contactId} came with the contact after change ${contact.mid}`);
    }
  }

  /** When all events were read. */
  finish(): string[] {
    return [...this.#problems, ...this.#gone.values().map((id) => `${id} was said to be gone, but was not deleted`)];
  }
}
