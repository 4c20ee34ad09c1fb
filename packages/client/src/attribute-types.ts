// The types of attributes and tags. As those of api-types.ts, they equal the contract's.

/** A date is ISO 8601. */
export type AttributeValue = string | number | boolean;

/** Values by key, of a bot whose attributes the compiler does not know. */
export type AttributeValues = Record<string, AttributeValue>;

/** What may be said about the attributes of a bot: `new Roster<{ plan: string; seats: number }>(…)`. */
export type AttributeTypes<Attributes> = { [Key in keyof Attributes]: AttributeValue | undefined };

export type AttributeType = 'text' | 'number' | 'boolean' | 'date' | 'choice';

export interface Attribute {
  key: string;
  type: AttributeType;
  label: string;
  /** `''` when there is none. */
  description: string;
  /** Only of the type `choice`: the allowed values. */
  choices?: string[] | undefined;
  /** Contacts that have a value, exactly. */
  contactCount: number;
}

export interface AttributeDefinition {
  /** Fixed from then on. */
  type: AttributeType;
  /** Its name for people, at most 128 characters. */
  label: string;
  /** At most 512 characters. Left out: none. */
  description?: string | undefined;
  /**
   * Required for the type `choice`, and only for it: 1 to 100 allowed values. A later definition may add some, spell them differently,
   * and leave out those that no contact has.
   */
  choices?: readonly string[] | undefined;
}

/** A tag exists while a contact has it. */
export interface Tag {
  /** As it was first written in the bot, or renamed. */
  name: string;
  /** Contacts that have it, exactly. */
  contactCount: number;
}
