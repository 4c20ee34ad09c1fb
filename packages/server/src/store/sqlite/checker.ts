// The checker thread: looks for damage in a database file, behind everything else, says what it has found, and ends. Of a copy that is
// sound it makes a compact one.
import { parentPort, workerData } from 'node:worker_threads';
import { compactInto, findDamage } from './inspection.ts';
import { standBack, type ThreadSettings } from './settings.ts';

export interface CheckerData extends ThreadSettings {
  /** The file is being written. Otherwise it is a copy, and checked down to every entry of an index. */
  isInUse: boolean;
  /** An empty file. */
  compactPath?: string;
}

const settings = workerData as CheckerData;
standBack(settings);
const { path, isInUse, compactPath } = settings;
const damage = findDamage(path, isInUse);
if (damage === undefined && compactPath !== undefined) compactInto(path, compactPath);
parentPort?.postMessage(damage);
