// What a caller is told about contacts that the store does not take as they are.
import { type FieldError, limits } from '@roster/contract';
import { ApiError, invalidRequest } from '../http/api-error.ts';
import type { CreateOutcome, ItemFault } from '../store/store.ts';

type Refused = Extract<CreateOutcome, { kind: 'email_taken' | 'invalid_values' }>;

export function refusal(outcome: Refused, body: unknown): ApiError {
  if (outcome.kind === 'invalid_values') {
    const { index: _, ...error } = toError({ position: 0, fault: outcome.fault });
    return outcome.fault === 'too_many_tags_in_bot' ? tagsLimitReached([error]) : invalidRequest([error]);
  }
  const { email } = body as { email: string };
  return new ApiError('email_taken', `A contact with the email ${email.trim()} already exists in this bot.`, {
    contactId: outcome.contactId,
  });
}

export function itemRefusal(faults: readonly ItemFault[]): ApiError {
  const errors = inOrder(faults.map(toError));
  const isLimitOfBot = faults.every(({ fault }) => fault === 'too_many_tags_in_bot');
  return isLimitOfBot ? tagsLimitReached(errors) : invalidRequest(errors);
}

function tagsLimitReached(errors: FieldError[]): ApiError {
  const detail = `This bot has reached the limit of ${limits.tagsPerBot} different tags. Delete tags you no longer need first.`;
  return new ApiError('limit_reached', detail, { errors });
}

const faultMessages: Record<ItemFault['fault'], Pick<FieldError, 'field' | 'message'>> = {
  nameless: { field: 'name', message: 'is required, because no contact has this email yet' },
  undefined_attribute: { field: 'attributes', message: 'has an attribute that this bot no longer has' },
  too_many_tags: { field: 'tags', message: `would exceed ${limits.tagsPerContact} tags on the contact` },
  too_many_tags_in_bot: { field: 'tags', message: `would exceed ${limits.tagsPerBot} different tags in the bot` },
  too_much_text: {
    field: 'attributes',
    message: `would exceed ${limits.attributeTextsLength} characters of text on the contact`,
  },
};

export function toError({ position, fault }: ItemFault): FieldError {
  return { index: position, ...faultMessages[fault] };
}

export function inOrder(errors: FieldError[]): FieldError[] {
  return errors.sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
}
