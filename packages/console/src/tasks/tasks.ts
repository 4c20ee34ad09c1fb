// Imports and actions on many contacts. They belong to the console and not to a page, so they go on while the member moves
// around. One runs at a time, and the others wait in turn. Those that have ended stay listed until the tab is closed or the
// member signs out.
import { useEffect, useSyncExternalStore } from 'react';
import type { BulkProgress } from '../contacts/bulk.ts';
import type { ImportProgress } from '../import/run-import.ts';

export type Progress = ImportProgress | BulkProgress;

export interface Task {
  id: string;
  botId: string;
  /** The name of the file, or what is done with how many contacts. */
  title: string;
  createdAt: string;
  state: 'waiting' | 'running' | 'done' | 'stopped' | 'failed';
  /** From 0 to 1. */
  share: number;
  progress: Progress;
  error?: unknown;
  /** Whether the member has seen how it ended. */
  isSeen: boolean;
}

export interface NewTask<Of extends Progress> {
  title: string;
  /** Before anything is done. */
  progress: Of;
  /** When `signal` is aborted, it counts the requests in flight and ends. */
  work(signal: AbortSignal, report: (progress: Of, share: number) => void): Promise<void>;
}

const storageName = 'roster tasks';
const keptMax = 50;

let tasks: readonly Task[] = [];
/** The member whose tasks they are. */
let owner: string | undefined;
let last = Promise.resolve();
/** Never reused: a task of a member who has signed out may still report its end. */
let lastId = 0;
const stops = new Map<string, AbortController>();
/** The tasks whose state is on the screen. */
const watched = new Set<string>();
const listeners = new Set<() => void>();

const subscribe = (onChange: () => void) => {
  listeners.add(onChange);
  return () => listeners.delete(onChange);
};

const warn = (event: BeforeUnloadEvent) => event.preventDefault();

export function isActive({ state }: Task): boolean {
  return state === 'waiting' || state === 'running';
}

export function useTasks(): readonly Task[] {
  return useSyncExternalStore(subscribe, () => tasks);
}

/** For what shows the task: how it ends is seen there. */
export function useTask(id: string | undefined): Task | undefined {
  const task = useTasks().find((each) => each.id === id);
  useEffect(() => {
    if (id === undefined) return;
    watched.add(id);
    update(id, { isSeen: true });
    return () => {
      watched.delete(id);
    };
  }, [id]);
  return task;
}

/** Returns the task's id. */
export function startTask<Of extends Progress>(botId: string, { title, progress, work }: NewTask<Of>): string {
  const id = String(++lastId);
  const stop = new AbortController();
  stops.set(id, stop);
  const createdAt = new Date().toISOString();
  show([...tasks, { id, botId, title, createdAt, state: 'waiting', share: 0, progress, isSeen: false }]);
  last = last.then(async () => {
    if (stop.signal.aborted) return void stops.delete(id);
    update(id, { state: 'running' });
    const end = (changes: Partial<Task>) => update(id, { ...changes, isSeen: watched.has(id) });
    try {
      await work(stop.signal, (now, share) => update(id, { progress: now, share }));
      end({ state: stop.signal.aborted ? 'stopped' : 'done', share: 1 });
    } catch (error) {
      end({ state: 'failed', error });
    }
    stops.delete(id);
  });
  return id;
}

export function stopTask({ id, state }: Task): void {
  stops.get(id)?.abort();
  if (state === 'waiting') update(id, { state: 'stopped', isSeen: true });
}

/** Called before the pages of a member are shown. */
export function claimTasks(memberId: string): void {
  if (owner === memberId) return;
  if (owner !== undefined) forgetTasks();
  owner = memberId;
  const kept = readKept(memberId);
  lastId = Math.max(lastId, ...kept.map(({ id }) => Number(id)));
  show(kept);
}

/** Called before another member may use this browser, and before a reload that must not ask. */
export function forgetTasks(): void {
  for (const stop of stops.values()) stop.abort();
  stops.clear();
  owner = undefined;
  show([]);
  keep();
}

function update(id: string, changes: Partial<Task>): void {
  show(tasks.map((each) => (each.id === id ? { ...each, ...changes } : each)));
}

function show(next: readonly Task[]): void {
  tasks = next;
  // Without active tasks there must be no listener: browsers keep no page with one for the way back.
  if (tasks.some(isActive)) addEventListener('beforeunload', warn);
  else removeEventListener('beforeunload', warn);
  for (const listener of listeners) listener();
}

// For after a reload: what was done, without the rejected rows and examples of them.
function keep(): void {
  try {
    if (owner === undefined) sessionStorage.removeItem(storageName);
    else
      sessionStorage.setItem(storageName, JSON.stringify({ owner, tasks: tasks.slice(-keptMax).map(withoutContacts) }));
  } catch {
    // The browser stores nothing for this site: the list ends with the page.
  }
}

addEventListener('pagehide', keep);

function withoutContacts({ error: _, ...task }: Task): Task {
  const progress: Progress =
    task.progress.kind === 'import' ? { ...task.progress, problems: [], dropped: [] } : task.progress;
  return { ...task, progress, isSeen: true, state: isActive(task) ? 'stopped' : task.state };
}

function readKept(memberId: string): readonly Task[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(storageName) ?? 'null');
    if (kept?.owner === memberId) return kept.tasks;
  } catch {
    // Nothing is stored.
  }
  return [];
}
