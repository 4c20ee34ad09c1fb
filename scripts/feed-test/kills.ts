// When servers and the mirror of the feed test are killed, and started again: at random moments, which are counted in changes.
import type { Random } from '../../packages/server/test/conformance/random.ts';
import type { MirrorProcess } from './mirror-process.ts';
import type { Servers } from './servers.ts';

export interface Load {
  /** So many changes are to be made. */
  readonly changesInAll: number;
  readonly changes: number;
  /** Rejects when a writer has failed, or the load stands still. */
  until(what: string, isTrue: () => boolean): Promise<unknown>;
}

/** One of so many kills hits all servers at once. */
const killAllEvery = 4;
/** The other servers make up to so many changes before a killed one is started again. */
const changesMeanwhile = 300;

export async function killServers(servers: Servers, kills: number, load: Load, random: Random): Promise<void> {
  const all = Array.from({ length: servers.count }, (_, index) => index);
  while (servers.kills < kills) {
    await untilMoment(servers.kills, kills, load, random);
    const killed = random.isOneIn(killAllEvery) ? all : [random.pick(all)];
    await Promise.all(killed.map((index) => servers.kill(index)));
    const restartAt = load.changes + (killed.length < all.length ? random.below(changesMeanwhile) : 0);
    await load.until('the other servers to go on', () => load.changes >= restartAt);
    await Promise.all(killed.map((index) => servers.restart(index)));
  }
}

export async function killMirror(mirror: MirrorProcess, kills: number, load: Load, random: Random): Promise<void> {
  while (mirror.kills < kills) {
    await untilMoment(mirror.kills, kills, load, random);
    const before = mirror.position();
    // Otherwise at once, perhaps before it has done anything.
    const moment = random.below(4);
    if (moment === 0) await load.until('the mirror to go on', () => mirror.position() !== before);
    else if (moment > 1) await load.until('the mirror to write', () => mirror.isWriting());
    await mirror.kill();
    mirror.start();
  }
}

/** Somewhere in the part of all changes that belongs to this kill. */
async function untilMoment(kill: number, kills: number, load: Load, random: Random): Promise<void> {
  const moment = ((kill + random.below(1000) / 1000) / kills) * load.changesInAll;
  await load.until('the writers to go on', () => load.changes >= moment);
}
