// What a task has done so far, as one line.

import { counted } from '../components/moment.tsx';
import { describeResult } from '../contacts/bulk.ts';
import type { Progress } from './tasks.ts';

export function summaryOf(progress: Progress): string {
  if (progress.kind === 'bulk') return describeResult(progress);
  const { imported, rejected } = progress.counts;
  return `${counted(imported, 'row')} imported${rejected > 0 ? `, ${counted(rejected, 'row')} rejected` : ''}`;
}
