// The area for dropping or choosing a file.
import { Button } from '@mantine/core';
import { type DragEvent, useRef, useState } from 'react';
import { Icon } from '../components/icons.tsx';
import { saveBlob } from '../download.ts';
import classes from './file-drop.module.css';

const sample = [
  'name,email,phone,tags',
  'Jane Doe,jane@example.com,+1 555 010 0123,vip;newsletter',
  'Juan Pérez,juan@example.com,,newsletter',
];

function downloadSample(): void {
  saveBlob('sample.csv', new Blob([`\ufeff${sample.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' }));
}

export function FileDrop({ onFile }: { onFile: (file: File) => void }) {
  const [isOver, setIsOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const [file] = event.dataTransfer.files;
    if (file !== undefined) onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the button inside does the same.
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Icon name="file" size={32} />
      <p className={classes.words}>Drop a CSV file here</p>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        className={classes.input}
        aria-label="CSV file"
        tabIndex={-1}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          // Reset, so that choosing the same file again, after a correction, fires a change event.
          event.currentTarget.value = '';
        }}
      />
      <Button variant="default" onClick={() => input.current?.click()}>
        Choose a file
      </Button>
      <Button variant="subtle" size="xs" onClick={downloadSample}>
        Download a sample CSV
      </Button>
    </div>
  );
}
