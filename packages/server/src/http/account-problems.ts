// Turns the refusals of use cases into errors of the API, for all operations.
import type { AccountError, Entity, Refusal } from '../account/account-error.ts';
import { ApiError, invalidRequest } from './api-error.ts';
import { rateLimited } from './rate-limit.ts';

type SignInReason = Extract<Refusal, { code: 'sign_in_failed' }>['reason'];

const notFoundDetails: Record<Entity, string> = {
  organization: 'There is no organization with this id.',
  bot: 'There is no bot with this id in your organization.',
  secret: 'There is no secret with this id in your organization.',
  member: 'There is no member with this id in your organization.',
  invitation: 'There is no invitation with this id in your organization.',
  link: 'This link was used, has expired, or never was one. Ask for another.',
};

const signInDetails: Record<SignInReason, string> = {
  credentials: 'The email and the password do not belong together.',
  setUp: 'The set-up code is not the one that the last start printed, or the account is set up already.',
  currentPassword: 'The current password is another one.',
  passwordChanged: 'The password was changed by somebody else at this moment.',
};

export function toAccountProblem({ refusal }: AccountError): ApiError {
  switch (refusal.code) {
    case 'not_found':
      return new ApiError('not_found', notFoundDetails[refusal.entity]);
    case 'member_exists':
      return new ApiError(
        'member_exists',
        'Somebody with this email is a member already, here or in another organization.',
      );
    case 'last_owner':
      return new ApiError('last_owner', 'This is the last owner. Make another member an owner first.');
    case 'sign_in_failed':
      // The scheme is our own: browsers ask for no password because of it.
      return new ApiError('sign_in_failed', signInDetails[refusal.reason], {
        headers: { 'www-authenticate': 'Session' },
      });
    case 'invalid':
      return invalidRequest([{ field: refusal.field, message: refusal.message }]);
    case 'rate_limited':
      return rateLimited(refusal.state);
  }
}
