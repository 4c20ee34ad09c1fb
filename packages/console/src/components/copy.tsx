// A value with a button that copies it and confirms that.
import { ActionIcon, Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import classes from './copy.module.css';
import { Icon } from './icons.tsx';

const shownMs = 2000;

async function copyText(text: string): Promise<void> {
  // Over plain HTTP from another machine, browsers have no clipboard API but the deprecated execCommand.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.className = classes.offscreen ?? '';
  // Within an open dialog, because its focus trap would move the focus away from any other element.
  (document.querySelector('[role=dialog]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (!isCopied) throw new Error('the browser did not copy');
}

function useCopy(text: string) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), shownMs);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    copyText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  return { state, copy };
}

const words = { idle: 'Copy', copied: 'Copied', failed: 'Select it and copy by hand' };

function CopyButton({ text, label, isFirst }: { text: string; label: string; isFirst: boolean }) {
  const { state, copy } = useCopy(text);
  return (
    <Button
      variant="default"
      size="xs"
      onClick={copy}
      data-autofocus={isFirst || undefined}
      aria-label={`${words[state]}: ${label}`}
      leftSection={<Icon name={state === 'copied' ? 'check' : 'copy'} size={15} />}
    >
      <span aria-live="polite">{words[state]}</span>
    </Button>
  );
}

/** A small variant for table rows. */
export function CopyIcon({ text, label }: { text: string; label: string }) {
  const { state, copy } = useCopy(text);
  const said = state === 'idle' ? label : words[state];
  return (
    <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={said} title={said}>
      <Icon name={state === 'copied' ? 'check' : 'copy'} size={15} />
    </ActionIcon>
  );
}

interface CopyBoxProps {
  text: string;
  label: string;
  /** The displayed text, if it differs from the copied one. */
  shown?: string;
  /** It has the focus when the dialog opens. */
  isFirst?: boolean;
}

export function CopyBox({ text, label, shown = text, isFirst = false }: CopyBoxProps) {
  return (
    <div className={classes.box}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by the keyboard too. */}
      {/* biome-ignore lint/a11y/useSemanticElements: nothing here is filled in. */}
      <pre className={classes.text} tabIndex={0} role="group" aria-label={label}>
        {shown}
      </pre>
      <CopyButton text={text} label={label} isFirst={isFirst} />
    </div>
  );
}
