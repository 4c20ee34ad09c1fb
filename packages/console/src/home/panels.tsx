// The panels of the home page beside the chart: numbers, bots, visitors, secrets that need attention, recent changes.
import { Anchor, Badge, Table } from '@mantine/core';
import type { AccountBot, BotOverview, BotUsage } from '@roster/contract';
import { useQuery } from '@tanstack/react-query';
import { keys, secretsQuery } from '../api/queries.ts';
import { actorOf, describeEntry } from '../audit/describe-entry.ts';
import { Loaded } from '../components/loaded.tsx';
import { count, Moment } from '../components/moment.tsx';
import { Panel } from '../components/page.tsx';
import { TableScroll } from '../components/table-scroll.tsx';
import { contactLink } from '../contacts/list-state.ts';
import { linkTo } from '../router.ts';
import { useSignedIn } from '../session.tsx';
import classes from './panels.module.css';
import { type SecretToCheck, secretsToCheck } from './secrets-to-check.ts';

type Counts = Pick<BotUsage, 'contactCount' | 'newContactCount' | 'visitorCount' | 'hasMoreVisitors'>;

function visitors({ visitorCount, hasMoreVisitors }: Counts): string {
  return `${count(visitorCount)}${hasMoreVisitors ? '+' : ''}`;
}

export function Numbers({ counts }: { counts: Counts }) {
  const numbers = [
    ['Contacts', count(counts.contactCount)],
    ['Created in 30 days', count(counts.newContactCount)],
    ['Visitors in 7 days', visitors(counts)],
  ];
  return (
    <dl className={classes.numbers}>
      {numbers.map(([label, value]) => (
        <div key={label} className={classes.number}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Further ones are on the page of bots. */
const botsShown = 10;

export function BotsPanel({ bots, usages }: { bots: readonly AccountBot[]; usages: readonly BotUsage[] }) {
  const names = new Map(bots.map(({ id, name }) => [id, name]));
  const largest = usages.toSorted((one, other) => other.contactCount - one.contactCount).slice(0, botsShown);
  return (
    <Panel
      title="Bots"
      actions={
        <Anchor href="#/bots" size="sm">
          All bots
        </Anchor>
      }
      isFlush
    >
      <TableScroll label="Bots">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Bot</Table.Th>
            <Table.Th className={classes.count ?? ''}>Contacts</Table.Th>
            <Table.Th className={classes.count ?? ''}>Created in 30 days</Table.Th>
            <Table.Th className={classes.count ?? ''}>Visitors in 7 days</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {largest.map((usage) => (
            <Table.Tr key={usage.id}>
              <Table.Td>
                <a href={linkTo([], { bot: usage.id })} className={classes.name}>
                  {names.get(usage.id) ?? usage.id}
                </a>
              </Table.Td>
              <Table.Td className={classes.count ?? ''} data-label="Contacts">
                {count(usage.contactCount)}
              </Table.Td>
              <Table.Td className={classes.count ?? ''} data-label="Created in 30 days">
                {count(usage.newContactCount)}
              </Table.Td>
              <Table.Td className={classes.count ?? ''} data-label="Visitors in 7 days">
                {visitors(usage)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </TableScroll>
    </Panel>
  );
}

export function VisitorsPanel({ botId, seen }: { botId: string; seen: BotOverview['visitors'] }) {
  return (
    <Panel title="Latest visitors">
      {seen.length === 0 ? (
        <p className={classes.none}>No known visitors in the last 7 days.</p>
      ) : (
        <ul className={classes.list}>
          {seen.map(({ id, name, lastSeenAt }) => (
            <li key={id} className={classes.item}>
              <a href={contactLink(botId, id)} className={classes.name}>
                {name}
              </a>{' '}
              <span className={classes.detail}>
                <Moment at={lastSeenAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Further ones are on the page of secrets. */
const secretsShown = 5;

/** `botId`: only secrets that reach the bot. */
export function SecretsPanel({ botId }: { botId?: string | undefined }) {
  const { connection } = useSignedIn();
  const secrets = useQuery(secretsQuery(connection));
  return (
    <Panel title="Secrets to check">
      <Loaded query={secrets} lines={2}>
        {(all) => {
          const found = secretsToCheck(all, Date.now(), botId);
          if (found.length === 0) {
            return <p className={classes.none}>Every secret is in use, and none expires in the next 14 days.</p>;
          }
          return (
            <ul className={classes.list}>
              {found.slice(0, secretsShown).map((each) => (
                <li key={each.secret.id} className={classes.item}>
                  <span className={classes.name}>{each.secret.name}</span> <SecretNotes secret={each} />
                </li>
              ))}
              {found.length > secretsShown && (
                <li className={classes.none}>and {count(found.length - secretsShown)} more</li>
              )}
            </ul>
          );
        }}
      </Loaded>
      <Anchor href="#/secrets" size="sm" className={classes.more ?? ''}>
        All secrets
      </Anchor>
    </Panel>
  );
}

function SecretNotes({ secret: { expiresAt, isUnused } }: { secret: SecretToCheck }) {
  return (
    <span className={classes.notes}>
      {expiresAt !== undefined && (
        <Badge variant="light" color="red" className={classes.badge ?? ''}>
          Expires <Moment at={expiresAt} isDate />
        </Badge>
      )}
      {isUnused && (
        <Badge variant="light" color="gray" className={classes.badge ?? ''}>
          Never used
        </Badge>
      )}
    </span>
  );
}

const changesShown = 6;

export function ChangesPanel() {
  const { connection } = useSignedIn();
  const log = useQuery({
    queryKey: [...keys.audit, 'latest'],
    queryFn: async ({ signal }) =>
      (await connection.call('listAuditEntries', { query: { limit: changesShown } }, { signal })).data,
  });
  return (
    <Panel title="Recent changes">
      <Loaded query={log} lines={4}>
        {(entries) => (
          <ul className={classes.list}>
            {entries.map((entry) => (
              <li key={entry.id} className={classes.change}>
                <span className={classes.actor}>{actorOf(entry)}</span> {describeEntry(entry)}
                <span className={classes.detail}>
                  <Moment at={entry.at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Anchor href="#/audit" size="sm" className={classes.more ?? ''}>
        Audit log
      </Anchor>
    </Panel>
  );
}
