// What a process needs to deliver webhooks, and its orderly end.
import { Deliverer } from '../delivery/deliverer.ts';
import { AllowedNetworks } from '../delivery/public-addresses.ts';
import { prepareSend } from '../delivery/send.ts';
import { SendSlots } from '../delivery/send-slots.ts';
import type { Deps } from '../deps.ts';
import type { Config } from './config.ts';

export interface Delivering {
  /** For the applications of the process. */
  deps: Pick<Deps, 'send' | 'sendSlots' | 'onEvents' | 'deliveries'>;
  start(): void;
  /** Takes some seconds at most, and never rejects. */
  stop(): Promise<void>;
}

export function prepareDelivering({ config, store, clock, logger }: Deps & { config: Config }): Delivering {
  const { send, close } = prepareSend({ clock, allowed: new AllowedNetworks(config.webhookNetworks) });
  const sendSlots = new SendSlots();
  const deliverer = new Deliverer({ store, send, clock, logger, retriesMs: config.webhookRetriesMs, slots: sendSlots });
  return {
    deps: { send, sendSlots, onEvents: (botId) => deliverer.wake(botId), deliveries: deliverer },
    start: () => deliverer.start(),
    async stop() {
      await deliverer.stop();
      close();
    },
  };
}
