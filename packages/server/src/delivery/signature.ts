// The headers of a message by which a receiver knows that it is ours and whole, as Standard Webhooks has them.
import { Webhook } from 'standardwebhooks';

export interface Secrets {
  secret: string;
  /** The one from before a rotation, which signs along until then. */
  oldSecret: string | null;
  oldSecretUntilMs: number | null;
}

/** The new secret signs first. The time is that of this attempt, since receivers refuse old ones. */
export function signatureHeaders(
  { secret, oldSecret, oldSecretUntilMs }: Secrets,
  { id, body }: { id: string; body: string },
  nowMs: number,
) {
  const isOldInForce = oldSecret !== null && nowMs < (oldSecretUntilMs ?? 0);
  const secrets = isOldInForce ? [secret, oldSecret] : [secret];
  const at = new Date(nowMs);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': secrets.map((each) => new Webhook(each).sign(id, at, body)).join(' '),
  };
}
