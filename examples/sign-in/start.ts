// `npm run example`: starts a temporary Roster server, whose data is deleted at the end, and the shop. With ROSTER_URL,
// ROSTER_BOT and ROSTER_SECRET it uses a running Roster server instead.
import type { AddressInfo } from 'node:net';
import { startTemporaryRoster } from '../temporary-roster.ts';
import { createSite } from './site.ts';
import { Visitors } from './visitors.ts';

const { PORT = '3000', ROSTER_URL, ROSTER_BOT, ROSTER_SECRET } = process.env;
const cleanUps: (() => unknown)[] = [];

async function end(code: number): Promise<never> {
  for (let cleanUp = cleanUps.pop(); cleanUp !== undefined; cleanUp = cleanUps.pop()) await cleanUp();
  process.exit(code);
}

// More than once: in a terminal, Control-C comes from the terminal and from npm, which forwards it.
process.on('SIGINT', () => end(0));
process.on('SIGTERM', () => end(0));

try {
  const access =
    ROSTER_URL && ROSTER_BOT && ROSTER_SECRET
      ? { url: ROSTER_URL.replace(/\/+$/, ''), botId: ROSTER_BOT, secret: ROSTER_SECRET }
      : await startTemporaryRoster((cleanUp) => cleanUps.push(cleanUp));
  const site = createSite({ visitors: new Visitors(access), widgetUrl: `${access.url}/widget.js?bot=${access.botId}` });
  site.once('error', ({ message }) => {
    console.error(`The shop cannot start: ${message}. Set PORT to another port.`);
    end(1);
  });
  site.listen(Number(PORT), '127.0.0.1', () => {
    const { port } = site.address() as AddressInfo;
    console.log(`The shop is at http://127.0.0.1:${port} and its Roster at ${access.url}. Ctrl+C ends both.`);
  });
} catch (error) {
  console.error((error as Error).message);
  await end(1);
}
