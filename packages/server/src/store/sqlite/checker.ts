// The checker thread: looks for damage in a database file, behind everything else, says what it has found, and ends.
import { parentPort, workerData } from 'node:worker_threads';
import { findDamage } from './inspection.ts';
import { standBack, type ThreadSettings } from './settings.ts';

export interface CheckerData extends ThreadSettings {
  /** The file is being written. Otherwise it is a copy, and checked down to every entry of an index. */
  isInUse: boolean;
}

const settings = workerData as CheckerData;
standBack(settings);
parentPort?.postMessage(findDamage(settings.path, settings.isInUse));
