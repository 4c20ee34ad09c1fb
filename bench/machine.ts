// Describes the machine of a run, as far as it matters to the measurements. Never its host name.
import { arch, cpus, platform, totalmem } from 'node:os';
import type { Machine } from './result.ts';

export function describeMachine(engine: string): Machine {
  const [first] = cpus();
  return {
    // Some virtual machines report no model.
    cpu: first?.model.trim() || `a ${arch()} CPU`,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${platform()} ${arch()}`,
    node: process.version,
    engine,
  };
}

export function machineLine({ cpu, cores, memoryGiB, system, node, engine }: Machine): string {
  return `${cpu} × ${cores}, ${memoryGiB} GiB, ${system}, Node ${node}, ${engine}`;
}
