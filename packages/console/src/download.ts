// A file for the person at the browser: written as it grows where the browser allows that, otherwise gathered in parts
// that the browser may keep on disk.

export interface Download {
  write(text: string): Promise<void>;
  complete(): Promise<void>;
  discard(): Promise<void>;
}

interface FilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** Undefined: the person was asked where to, and said nowhere. */
export async function openDownload(name: string, type: string): Promise<Download | undefined> {
  const { showSaveFilePicker } = window as FilePicker;
  if (showSaveFilePicker === undefined) return gatheringDownload(name, type);
  try {
    const handle = await showSaveFilePicker({ suggestedName: name });
    // What it writes goes to a file beside the chosen one, which takes its place when it is closed.
    const stream = await handle.createWritable();
    return {
      write: (text) => stream.write(text),
      complete: () => stream.close(),
      discard: () => stream.abort(),
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // A policy of the machine forbids the dialog: the other way needs no permission.
    return gatheringDownload(name, type);
  }
}

function gatheringDownload(name: string, type: string): Download {
  const parts: Blob[] = [];
  return {
    // A Blob and not a string: browsers move large ones out of memory.
    async write(text) {
      parts.push(new Blob([text]));
    },
    async complete() {
      saveBlob(name, new Blob(parts, { type }));
    },
    async discard() {
      parts.length = 0;
    },
  };
}

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Later: the browser has to begin before the address goes away.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
