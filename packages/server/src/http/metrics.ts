// The metrics that an operator watches, in Prometheus form. Labels are operations and statuses: nothing of a caller.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { noDeliveries } from '../delivery/delivery-counts.ts';
import type { Deps, MetricsRegistry } from '../deps.ts';
import type { MaybePromise } from '../store/maybe-promise.ts';

export interface Metrics {
  observe(operationId: string, status: number, seconds: number): void;
  render(): Promise<string>;
}

/** For a listener without the metrics page. */
export const noMetrics: Metrics = { observe() {}, render: async () => '' };

interface Readings {
  requestsInFlight(): number;
  /** Of those, how many wait for events. */
  waitingReaders(): number;
  refusedConnections(): number;
}

export function prepareMetrics(
  {
    store,
    metricsRegistry = ownRegistry(),
    deliveries = noDeliveries,
  }: Pick<Deps, 'store' | 'metricsRegistry' | 'deliveries'>,
  { requestsInFlight, waitingReaders, refusedConnections }: Readings,
): Metrics {
  const { registry } = metricsRegistry;
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'roster_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const show = (
    Metric: typeof Gauge | typeof Counter,
    name: string,
    help: string,
    read: () => MaybePromise<number>,
  ) => {
    const collect = async () => {
      const value = await readNumber(read);
      metric.reset();
      metric.inc(value);
    };
    const metric = new Metric({ name, help, registers: [registry], collect });
  };
  show(Gauge, 'roster_http_requests_in_flight', 'Requests that are being answered.', requestsInFlight);
  show(Gauge, 'roster_waiting_readers', 'Requests that wait for events.', waitingReaders);
  show(
    Counter,
    'roster_http_refused_connections_total',
    'Connections of addresses that had too many.',
    refusedConnections,
  );
  new Gauge({
    name: 'roster_webhook_oldest_undelivered_seconds',
    help: 'Age of the oldest event that this server has yet to deliver to a webhook.',
    registers: [registry],
    // Of several workers, the one that is furthest behind.
    aggregator: 'max',
    collect() {
      this.set(deliveries.oldestUndeliveredSeconds());
    },
  });
  const showByLabel = (name: string, help: string, label: string, counts: Record<string, number>) => {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(counts)) this.inc({ [label]: value }, count);
      },
    });
  };
  const { attempts, disabled } = deliveries.counts;
  showByLabel('roster_webhook_deliveries_total', 'Attempts to deliver an event to a webhook.', 'result', attempts);
  showByLabel('roster_webhooks_disabled_total', 'Webhooks that were switched off.', 'reason', disabled);
  for (const [name, read] of Object.entries(store.gauges())) {
    show(name.endsWith('_total') ? Counter : Gauge, `roster_${name}`, 'See docs/operations.md.', read);
  }

  // Looking a series up by its labels costs more than counting in it.
  const series = new Map<string, ReturnType<typeof durations.labels>>();
  return {
    observe(operation, status, seconds) {
      const key = `${operation} ${status}`;
      let counted = series.get(key);
      if (counted === undefined) {
        counted = durations.labels(operation, String(status));
        series.set(key, counted);
      }
      counted.observe(seconds);
    },
    render: metricsRegistry.render,
  };
}

/** NaN for a number that cannot be read: the rest of the page is needed most when something fails. */
async function readNumber(read: () => MaybePromise<number>): Promise<number> {
  try {
    return await read();
  } catch {
    return Number.NaN;
  }
}

function ownRegistry(): MetricsRegistry {
  const registry = new Registry();
  return { registry, render: () => registry.metrics() };
}
