// An operator of a server that runs in the test's own process, beside its store and its tenant cache.
import { limits, operatorCredentials } from '@roster/contract';
import { pino } from 'pino';
import { defaultQuotas } from '../../../server/src/account/quotas.ts';
import { buildApp } from '../../../server/src/app.ts';
import { defaultTimeouts } from '../../../server/src/deps.ts';
import { sendByInject } from '../../../server/src/operator/in-process.ts';
import type { TestServer } from '../../../server/test/harness.ts';
import { makeOperator, type Operator } from '../../src/operator/operator.ts';

export function operatorOf({ store, clock, app }: Pick<TestServer, 'store' | 'clock' | 'app'>): Operator {
  const config = {
    host: '127.0.0.1',
    publicUrl: 'http://roster.test',
    hstsSubdomains: false,
    trustProxy: false,
    bodyLimitBytes: limits.bodyBytes,
    connectionsPerAddress: 1000,
    quotas: defaultQuotas,
    rateLimitPerMinute: undefined,
    metricsToken: undefined,
    securityContact: undefined,
    webhookNetworks: [],
  } as const;
  const { http } = buildApp(
    {
      config,
      store,
      logger: pino({ level: 'silent' }),
      clock: () => clock.nowMs,
      tenantCache: app.tenantCache,
      timeouts: defaultTimeouts,
      requestsMax: 10,
      unreadFilesMax: 1,
      isStrict: true,
    },
    operatorCredentials,
  );
  const settings = { via: 'store', hasBackups: store.backup !== undefined } as const;
  return makeOperator({ ...settings, send: sendByInject(http), close: () => http.close() });
}
