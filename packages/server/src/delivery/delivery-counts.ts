// What the metrics tell about deliveries.
import type { DisabledReason } from '@roster/contract';

export class DeliveryCounts {
  /** Attempts by their result. */
  readonly attempts = { succeeded: 0, failed: 0, given_up: 0 };
  /** Webhooks that were switched off. */
  readonly disabled: Record<DisabledReason, number> = { gone: 0, failing: 0 };
}

export interface DeliveryReadings {
  counts: DeliveryCounts;
  /** The age of the oldest event that this process has yet to deliver. */
  oldestUndeliveredSeconds(): number;
}

/** Of a process that delivers nothing. */
export const noDeliveries: DeliveryReadings = { counts: new DeliveryCounts(), oldestUndeliveredSeconds: () => 0 };
