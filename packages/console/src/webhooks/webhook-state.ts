// The state of a webhook, and what Roster did to it because of its receiver.
import type { Webhook } from '@roster/client';

interface State {
  label: string;
  color: string;
  /** Of the state that the label ends with. */
  at: string | null;
  /** Why Roster switched it off. */
  reason: string | null;
}

const reasons = {
  gone: 'The receiver is gone',
  failing: 'All deliveries failed for five days',
} as const;

export function stateOf({ isEnabled, disabledReason, failingSince }: Webhook): State {
  if (!isEnabled && disabledReason !== null) {
    return { label: 'Turned off', color: 'red', at: null, reason: reasons[disabledReason] };
  }
  if (!isEnabled) return { label: 'Off', color: 'gray', at: null, reason: null };
  if (failingSince !== null) return { label: 'Failing since', color: 'amber', at: failingSince, reason: null };
  return { label: 'On', color: 'pine', at: null, reason: null };
}

/** What members call a webhook by. Its URL may be very long. */
export function hostOf({ url }: Pick<Webhook, 'url'>): string {
  return new URL(url).host;
}
