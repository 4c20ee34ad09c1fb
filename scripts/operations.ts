// Lists all operations with who may call each and where its handler is, also those that the contract derives from others, whose
// names (createContactAsMember) are written nowhere. `--json` prints the same for programs.
import { globSync, readFileSync } from 'node:fs';
import { type Operation, operations, roleOf } from '@roster/contract';

export interface ListedOperation {
  name: string;
  id: string;
  method: string;
  path: string;
  credentials: readonly string[];
  /** What a secret must be allowed. */
  permissions: readonly string[];
  /** The least role of a member. Null: the operation takes no session. */
  role: string | null;
  /** File and line of the handler. */
  handler: string;
}

const folder = 'packages/server/src/operations';

export function listOperations(): ListedOperation[] {
  const root = new URL('..', import.meta.url);
  const handlerFiles = globSync(`${folder}/*.ts`, { cwd: root })
    .map((file) => ({ file, text: readFileSync(new URL(file, root), 'utf8') }))
    .filter(({ file, text }) => !file.endsWith('.test.ts') && /^export function \w+Handlers\(/m.test(text));
  return Object.entries(operations).map(([name, operation]: [string, Operation]) => {
    const { id, method, path, credentials, permissions = [] } = operation;
    const role = credentials.includes('session') ? roleOf(operation) : null;
    return { name, id, method, path, credentials, permissions, role, handler: handlerOf(name, handlerFiles) };
  });
}

/** A derived operation has the handler of the one that it is derived from. */
function handlerOf(name: string, files: readonly { file: string; text: string }[]): string {
  const member = new RegExp(`^ +(?:async )?(?:${name}|${name.replace(/As(Member|Operator)$/, '')})(?:[(:]|,$)`, 'm');
  const found = files.flatMap(({ file, text }) => {
    const at = text.search(member);
    return at === -1 ? [] : [`${file}:${text.slice(0, at).split('\n').length}`];
  });
  if (found.length !== 1) throw new Error(`${name} has ${found.length} handlers in ${folder}: ${found.join(', ')}`);
  return found.join();
}

function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(cell.length, most[at] ?? 0)), []);
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

if (import.meta.main) {
  const listed = listOperations();
  const rows = listed.map(({ name, method, path, credentials, permissions, role, handler }) => {
    const needs = [...permissions, ...(role === null ? [] : [role])];
    return [name, `${method} ${path}`, credentials.join(', '), needs.join(', '), handler];
  });
  const header = ['operation', 'request', 'credentials', 'permissions and role', 'handler'];
  console.log(process.argv.includes('--json') ? JSON.stringify(listed, null, 2) : toTable([header, ...rows]));
}
