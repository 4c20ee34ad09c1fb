// A download of a growing file: streamed to disk where the browser supports that, otherwise collected in Blobs, which
// the browser may keep on disk.

export interface Download {
  write(text: string): Promise<void>;
  complete(): Promise<void>;
  discard(): Promise<void>;
}

interface FilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
}

/** Undefined when the user has closed the file dialog. */
export async function openDownload(name: string, type: string): Promise<Download | undefined> {
  const { showSaveFilePicker } = window as FilePicker;
  if (showSaveFilePicker === undefined) return blobDownload(name, type);
  try {
    const handle = await showSaveFilePicker({ suggestedName: name });
    // The browser writes to a temporary file, which replaces the chosen one when the stream is closed.
    const stream = await handle.createWritable();
    return {
      write: (text) => stream.write(text),
      complete: () => stream.close(),
      discard: () => stream.abort(),
    };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // A policy of the machine forbids the dialog. A download of Blobs needs no permission.
    return blobDownload(name, type);
  }
}

function blobDownload(name: string, type: string): Download {
  const parts: Blob[] = [];
  return {
    // Blobs and not strings, because browsers move large Blobs out of memory.
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
  // The URL must stay valid until the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
