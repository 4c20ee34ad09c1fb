// The checker thread: looks for damage in a database file, behind everything else, says what it has found, and ends. Of a copy that is
// sound it makes a compact one.
import { parentPort, workerData } from 'node:worker_threads';
import { compactInto, type FileToCheck, findDamage } from './inspection.ts';
import { standBack, type ThreadSettings } from './settings.ts';

export interface CheckerData extends ThreadSettings, FileToCheck {
  /** An empty file. */
  compactPath?: string;
}

const settings = workerData as CheckerData;
standBack(settings);
const { path, compactPath } = settings;
const damage = findDamage(settings);
if (damage === undefined && compactPath !== undefined) compactInto(path, compactPath);
parentPort?.postMessage(damage);
