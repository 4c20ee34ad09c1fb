// The handlers of all operations as one record, which the compiler holds against the contract.
import type { Handlers } from '../http/operation-types.ts';
import type { AccountDeps } from './account-deps.ts';
import { auditHandlers } from './audit.ts';
import { botHandlers } from './bots.ts';
import { consoleHandlers } from './console.ts';
import { contactTokenHandlers } from './contact-tokens.ts';
import { contactHandlers } from './contacts.ts';
import { memberHandlers } from './members.ts';
import { secretHandlers } from './secrets.ts';
import { type ServiceDeps, serviceHandlers } from './service.ts';
import { signInHandlers } from './sign-in.ts';
import { widgetHandlers } from './widget.ts';

export function prepareHandlers(deps: AccountDeps & ServiceDeps): Handlers {
  return {
    ...contactHandlers(deps),
    ...contactTokenHandlers(deps),
    ...widgetHandlers(deps),
    ...signInHandlers(deps),
    ...memberHandlers(deps),
    ...secretHandlers(deps),
    ...botHandlers(deps),
    ...auditHandlers(deps),
    ...serviceHandlers(deps),
    ...consoleHandlers(),
  };
}
