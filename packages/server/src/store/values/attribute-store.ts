// The part of the storage port that holds what contacts can have beside their fields: the attributes that a bot defines,
// and its tags. The promises at the head of store.ts are made here too.
import type { AttributeType, AttributeValue, ContactFilter } from '@roster/contract';
import type { LimitReached } from '../account/account-store.ts';
import type { EventContext, WriteContext } from '../write-context.ts';

/*
 * An attribute or a tag has a number, which no other of its bot ever has: contacts hold numbers. One that is deleted and made
 * again has another, so it starts empty. A number without a definition means nothing, wherever a contact still holds it.
 */
export interface AttributeStore {
  /** Ascending by key. None when there is no such bot. */
  listAttributes(botId: string): Promise<AttributeDefinition[]>;
  /** Or changes label, description and choices of the one that has the key. Choices that contacts have stay. */
  defineAttribute(botId: string, attribute: NewAttribute, context: WriteContext): Promise<DefineOutcome>;
  /** No contact has a value of it from then on, and none changes its `updatedAt`. False when there is no such attribute. */
  deleteAttribute(botId: string, key: string, context: EventContext): Promise<boolean>;
  /** Those with these numbers; left out: all. Ascending by key, by its UTF-8 bytes. None when there is no such bot. */
  listTags(botId: string, numbers?: readonly number[]): Promise<TagDefinition[]>;
  /** On all contacts that have it, without a change of their `updatedAt`. */
  renameTag(botId: string, key: string, tag: Tag, context: EventContext): Promise<RenameOutcome>;
  /** From all contacts that have it, without a change of their `updatedAt`. False when there is no such tag. */
  deleteTag(botId: string, key: string, context: EventContext): Promise<boolean>;
  /** Ascending by key. None when there is no such bot. */
  listSegments(botId: string): Promise<StoredSegment[]>;
  /** Or changes the one that has the key. */
  defineSegment(botId: string, segment: StoredSegment, context: WriteContext): Promise<SegmentOutcome>;
  /** False when there is no such segment. */
  deleteSegment(botId: string, key: string, context: WriteContext): Promise<boolean>;
}

/** A filter of the bot that is kept under a key. What it names may have been deleted since. */
export interface StoredSegment {
  key: string;
  label: string;
  query: string;
  filter: ContactFilter;
  sort: string;
}

export type SegmentOutcome = { kind: 'defined' | 'changed' } | LimitReached | { kind: 'missing' };

export interface NewAttribute {
  key: string;
  type: AttributeType;
  label: string;
  description: string;
  /** Of the type `choice`, as they are shown. Contacts hold them folded. */
  choices?: readonly string[] | undefined;
}

export interface AttributeDefinition extends NewAttribute {
  number: number;
  /** Exact. */
  contactCount: number;
}

export type DefineOutcome =
  | { kind: 'defined' | 'changed'; attribute: AttributeDefinition }
  | { kind: 'attribute_type_fixed'; type: AttributeType }
  | { kind: 'choices_in_use'; choices: { choice: string; contactCount: number }[] }
  | LimitReached
  | { kind: 'missing' };

/** The key is what spellings of the same tag have in common, made by the caller. */
export interface Tag {
  key: string;
  name: string;
}

/** Exists while a contact has it. */
export interface TagDefinition extends Tag {
  number: number;
  /** Exact, and never 0. */
  contactCount: number;
}

export type RenameOutcome = { kind: 'renamed'; tag: TagDefinition } | { kind: 'tag_taken' } | { kind: 'missing' };

/** What a contact has beside its fields, by number. */
export interface ContactValues {
  /** Dates are in milliseconds. */
  attributes: Readonly<Record<number, AttributeValue>>;
  /** Ascending. */
  tags: readonly number[];
}

/** Left out: as they are. */
export interface ValueChanges {
  /** By number; null removes the value. Those left out keep theirs. */
  attributes?: Readonly<Record<number, AttributeValue | null>> | undefined;
  tags?: TagChange | undefined;
}

/** All tags, or some by their keys. Of the same tag twice the first spelling counts, if the bot has none yet. */
export type TagChange = { set: readonly Tag[] } | { add: readonly Tag[]; remove: readonly string[] };

/**
 * Why values are refused. `undefined_attribute`: since the caller read the definitions, one was deleted, or a choice. The others are
 * limits: of the tags of a contact, of a bot, and of the text values of a contact together.
 */
export type ValueFault = 'undefined_attribute' | 'too_many_tags' | 'too_many_tags_in_bot' | 'too_much_text';
