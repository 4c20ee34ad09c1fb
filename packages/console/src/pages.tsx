// The routes of the console. Each page is loaded when it is first shown.
import { lazy, type ReactNode } from 'react';
import type { Route } from './router.ts';

export const SetUpPage = lazy(() => import('./pages/set-up.tsx'));
export const LinkPage = lazy(() => import('./pages/link.tsx'));
export const SignInPage = lazy(() => import('./pages/sign-in.tsx'));
const HomePage = lazy(() => import('./pages/home.tsx'));
const BotsPage = lazy(() => import('./pages/bots.tsx'));
const BotSettingsPage = lazy(() => import('./pages/bot-settings.tsx'));
const AttributesPage = lazy(() => import('./pages/attributes.tsx'));
const ActivityPage = lazy(() => import('./pages/activity.tsx'));
const ContactsPage = lazy(() => import('./pages/contacts.tsx'));
const ContactPage = lazy(() => import('./pages/contact.tsx'));
const ImportPage = lazy(async () => {
  await import('./schema-library.ts');
  return import('./pages/import.tsx');
});
const TasksPage = lazy(() => import('./pages/tasks.tsx'));
const TaskPage = lazy(async () => {
  await import('./schema-library.ts');
  return import('./pages/task.tsx');
});
const WebhooksPage = lazy(() => import('./pages/webhooks.tsx'));
const WebhookPage = lazy(() => import('./pages/webhook.tsx'));
const SecretsPage = lazy(() => import('./pages/secrets.tsx'));
const MembersPage = lazy(() => import('./pages/members.tsx'));
const AuditPage = lazy(() => import('./pages/audit.tsx'));
const AccountPage = lazy(() => import('./pages/account.tsx'));
const NotFoundPage = lazy(() => import('./pages/not-found.tsx'));

/** The key changes when another page is shown, and not when only the parameters of a page change. */
export function findPage({ segments, parameters }: Route): { page: ReactNode; key: string } {
  const [first = '', id = '', part = '', partId] = segments;
  const key = segments.join('/');
  const pages: Record<string, ReactNode> = {
    '': <HomePage parameters={parameters} />,
    bots: <BotsPage />,
    secrets: <SecretsPage />,
    members: <MembersPage />,
    tasks: <TasksPage />,
    audit: <AuditPage parameters={parameters} />,
    account: <AccountPage />,
  };
  if (first === 'tasks' && id !== '') return { page: <TaskPage taskId={id} />, key };
  if (first === 'bots' && id !== '') {
    if (part === 'settings') return { page: <BotSettingsPage botId={id} />, key };
    if (part === 'attributes') return { page: <AttributesPage botId={id} />, key };
    if (part === 'activity') return { page: <ActivityPage botId={id} parameters={parameters} />, key };
    if (part === 'import') return { page: <ImportPage botId={id} />, key };
    if (part === 'contacts' && partId !== undefined)
      return { page: <ContactPage botId={id} contactId={partId} />, key };
    if (part === 'contacts') return { page: <ContactsPage botId={id} parameters={parameters} />, key };
    if (part === 'webhooks' && partId !== undefined)
      return { page: <WebhookPage botId={id} webhookId={partId} parameters={parameters} />, key };
    if (part === 'webhooks') return { page: <WebhooksPage botId={id} />, key };
  }
  const isPage = segments.length < 2 && Object.hasOwn(pages, first);
  return { page: isPage ? pages[first] : <NotFoundPage />, key };
}
