// The attributes that a bot defines, and its tags, with a secret or with a member's session. A member's changes are in the
// audit log, which names the key of an attribute and never a tag: a tag says something about contacts.
import {
  type Attribute,
  type AttributeOperationName,
  attributeDefinitionSchema,
  faultOfAttributeKey,
  limits,
  type operations,
  type Tag,
  tagNameSchema,
} from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { fold } from '../contacts/search-text.ts';
import { isTag, toTag } from '../contacts/values.ts';
import { ApiError, invalidRequest, noSuchAttribute, noSuchBot, noSuchTag } from '../http/api-error.ts';
import type { Handler } from '../http/operation-types.ts';
import { fieldErrors } from '../http/validation.ts';
import type { AttributeDefinition, TagDefinition } from '../store/values/attribute-store.ts';
import { contextOf } from './action-of.ts';
import { forMembersToo } from './for-members.ts';

type Operations = typeof operations;
type AttributeHandlers = {
  readonly [Name in AttributeOperationName]: Handler<Operations[Name] | Operations[`${Name}AsMember`]>;
};

export function attributeHandlers(deps: Pick<AccountDeps, 'store' | 'clock' | 'nextId'>) {
  const { store } = deps;
  const handlers: AttributeHandlers = {
    async defineAttribute(call) {
      const { bot, params, rawBody } = call;
      const attribute = readDefinition(params.key, rawBody);
      const outcome = await store.defineAttribute(bot.id, attribute, contextOf(deps, call, { name: params.key }));
      switch (outcome.kind) {
        case 'missing':
          throw noSuchBot();
        case 'attribute_type_fixed':
          throw typeFixed(params.key, outcome.type);
        case 'choices_in_use':
          throw invalidRequest([{ field: 'choices', message: inUse(outcome.choices) }]);
        case 'limit_reached':
          throw new ApiError(
            'limit_reached',
            `This bot has reached the limit of ${limits.attributesPerBot} attributes. Delete one first.`,
          );
        default: {
          const isChanged = outcome.kind === 'changed';
          return { body: { data: toAttributeAnswer(outcome.attribute) }, isChanged };
        }
      }
    },

    async listAttributes({ bot }) {
      return { body: { data: (await store.listAttributes(bot.id)).map(toAttributeAnswer) } };
    },

    async retrieveAttribute({ bot, params }) {
      const attribute = (await store.listAttributes(bot.id)).find(({ key }) => key === params.key);
      if (attribute === undefined) throw noSuchAttribute();
      return { body: { data: toAttributeAnswer(attribute) } };
    },

    async deleteAttribute(call) {
      const { bot, params } = call;
      const isDeleted =
        faultOfAttributeKey(params.key) === undefined &&
        (await store.deleteAttribute(bot.id, params.key, contextOf(deps, call, { name: params.key })));
      if (!isDeleted) throw noSuchAttribute();
      return {};
    },

    async listTags({ bot }) {
      return { body: { data: (await store.listTags(bot.id)).map(toTagAnswer) } };
    },

    async renameTag(call) {
      const { bot, params, body } = call;
      const { name } = body;
      if (!isTag(name)) throw invalidRequest([{ field: 'name', message: 'must not consist only of accents' }]);
      const outcome = await store.renameTag(bot.id, keyOf(params.tag), toTag(name), contextOf(deps, call));
      if (outcome.kind === 'missing') throw noSuchTag();
      if (outcome.kind === 'tag_taken') {
        throw new ApiError('tag_taken', 'Another tag of this bot has this name. Remove one of them first.');
      }
      return { body: { data: toTagAnswer(outcome.tag) } };
    },

    async deleteTag(call) {
      const { bot, params } = call;
      if (!(await store.deleteTag(bot.id, keyOf(params.tag), contextOf(deps, call)))) throw noSuchTag();
      return {};
    },
  };
  return forMembersToo(handlers);
}

/** Faults of the key and of the body are reported together. */
function readDefinition(key: string, body: unknown) {
  const fault = faultOfAttributeKey(key);
  const errors = fault === undefined ? [] : [{ field: 'key', message: fault }];
  const definition = attributeDefinitionSchema.safeParse(body ?? {});
  if (!definition.success) throw invalidRequest([...errors, ...fieldErrors(definition.error, 'body')]);
  const keys = definition.data.choices?.map(fold) ?? [];
  if (new Set(keys).size < keys.length) {
    errors.push({ field: 'choices', message: 'must differ by more than case and accents' });
  }
  if (keys.includes('')) errors.push({ field: 'choices', message: 'must not consist only of accents' });
  if (errors.length > 0) throw invalidRequest(errors);
  return { key, ...definition.data };
}

function inUse(choices: readonly { choice: string; contactCount: number }[]): string {
  const all = choices.map(({ choice, contactCount }) => `"${choice}" (${contactCount})`);
  return `must keep the choices that contacts have: ${all.join(', ')}. Give these contacts another value first`;
}

function typeFixed(key: string, type: string): ApiError {
  return new ApiError(
    'attribute_type_fixed',
    `The attribute ${key} already exists with the type ${type}, and its type cannot change. Delete it first, or choose another key.`,
  );
}

/** The key of the tag in a path. A malformed tag does not exist. */
function keyOf(tag: string): string {
  const name = tagNameSchema.safeParse(tag);
  if (!name.success) throw noSuchTag();
  return toTag(name.data).key;
}

function toAttributeAnswer({ number: _, choices, ...attribute }: AttributeDefinition): Attribute {
  return { ...attribute, ...(choices && { choices: [...choices] }) };
}

function toTagAnswer({ name, contactCount }: TagDefinition): Tag {
  return { name, contactCount };
}
