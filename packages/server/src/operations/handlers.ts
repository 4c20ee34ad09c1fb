// The handlers of all operations as one record, which the compiler holds against the contract.
import { prepareAuthentication } from '../account/authentication.ts';
import type { Handlers } from '../http/operation-types.ts';
import { attributeHandlers } from './attributes.ts';
import { auditHandlers } from './audit.ts';
import { backupHandlers } from './backup.ts';
import { botHandlers } from './bots.ts';
import { consoleHandlers } from './console.ts';
import { contactTokenHandlers } from './contact-tokens.ts';
import { contactHandlers } from './contacts.ts';
import { eventHandlers } from './events.ts';
import { guideHandlers } from './guide.ts';
import { memberHandlers } from './members.ts';
import { operatorHandlers } from './operator.ts';
import { overviewHandlers } from './overview.ts';
import { ownAccountHandlers } from './own-account.ts';
import { secretHandlers } from './secrets.ts';
import { segmentHandlers } from './segments.ts';
import { type ServiceDeps, serviceHandlers } from './service.ts';
import { signInHandlers } from './sign-in.ts';
import { type WebhookDeps, webhookHandlers } from './webhooks.ts';
import { widgetHandlers } from './widget.ts';

export function prepareHandlers(deps: ServiceDeps & WebhookDeps): Handlers {
  const authentication = prepareAuthentication(deps);
  const account = {
    ...ownAccountHandlers(deps, authentication),
    ...memberHandlers(deps),
    ...secretHandlers(deps),
    ...botHandlers(deps),
  };
  return {
    ...contactHandlers(deps),
    ...attributeHandlers(deps),
    ...segmentHandlers(deps),
    ...eventHandlers(deps),
    ...webhookHandlers(deps),
    ...contactTokenHandlers(deps),
    ...widgetHandlers(deps),
    ...signInHandlers(deps, authentication),
    ...account,
    ...overviewHandlers(deps),
    ...auditHandlers(deps),
    ...serviceHandlers(deps),
    ...guideHandlers(),
    ...consoleHandlers(),
    ...operatorHandlers(deps, account),
    ...backupHandlers(deps),
  };
}
