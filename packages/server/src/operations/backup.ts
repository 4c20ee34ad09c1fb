// The operator's backup: an answer of lines, with progress while it is being made. It is aborted when the client is gone
// and when the server stops.
import { PassThrough } from 'node:stream';
import type { BackupLine } from '@roster/contract';
import { ApiError, unavailable } from '../http/api-error.ts';
import type { Handlers } from '../http/operation-types.ts';
import { BackupError, StoreUnavailableError } from '../store/store.ts';
import type { ServiceDeps } from './service.ts';

export function backupHandlers({ store, logger, stopping }: ServiceDeps) {
  return {
    operatorBackUp({ body: { file }, operation, request }) {
      if (store.backup === undefined) throw unavailable('this database has its own tools for backups');
      const lines = new PassThrough();
      const write = (line: BackupLine) => lines.write(`${JSON.stringify(line)}\n`);
      const disconnected = new AbortController();
      // Fastify destroys the stream when the connection closes.
      lines.once('close', () => disconnected.abort());
      const made = store.backup(file, {
        signal: AbortSignal.any([disconnected.signal, stopping]),
        onProgress: (done, total) => write({ progress: { phase: 'copying', done, total } }),
        onChecking: () => write({ progress: { phase: 'checking', done: 0, total: 0 } }),
      });
      made
        .then(({ bytes }) => {
          logger.info({ operation: operation.id, bytes }, 'the operator made a backup');
          write({ data: { bytes } });
        })
        .catch((error: unknown) => {
          const problem = problemOf(error);
          if (problem.code === 'internal') logger.error({ requestId: request.id, err: error }, 'a backup failed');
          write({ problem: problem.toProblem(request.id) });
        })
        .finally(() => lines.end());
      return { body: lines, headers: { 'content-type': 'application/x-ndjson' } };
    },
  } satisfies Partial<Handlers>;
}

/** The messages of these errors are written for the operator. */
function problemOf(error: unknown): ApiError {
  const isExplained = error instanceof BackupError || error instanceof StoreUnavailableError;
  return isExplained
    ? new ApiError('unavailable', error.message)
    : new ApiError('internal', 'The backup failed. The server’s log has the details under this request id.');
}
