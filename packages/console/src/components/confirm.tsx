// Asks before something that cannot be undone; with a name to be typed where much is lost.
import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import classes from './confirm.module.css';
import { FailureNote } from './failure-note.tsx';

interface ConfirmProps {
  title: string;
  /** What will happen. */
  children: ReactNode;
  confirmLabel: string;
  /** It can be undone, so the button does not warn. */
  isHarmless?: boolean;
  /** Has to be typed before the button works. */
  typedName?: string;
  onConfirm(): Promise<unknown>;
  onDone(): void;
  onClose(): void;
}

export function Confirm(props: ConfirmProps) {
  const { title, children, confirmLabel, isHarmless = false, typedName, onConfirm, onDone, onClose } = props;
  const [typed, setTyped] = useState('');
  const mutation = useMutation({ mutationFn: onConfirm, onSuccess: onDone });
  const isReady = typedName === undefined || typed.trim() === typedName;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !mutation.isPending) mutation.mutate();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className={classes.form}>
        <div className={classes.text}>{children}</div>
        {typedName !== undefined && (
          <TextInput
            label={
              <>
                Type <strong>{typedName}</strong> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        {mutation.error !== null && <FailureNote error={mutation.error} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            className={isHarmless ? '' : (classes.danger ?? '')}
            loading={mutation.isPending}
            disabled={!isReady}
          >
            {confirmLabel}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}

/** A dialog that goes leaves the focus where it was, or on the title when that is gone too, as an item of a menu is. */
function useReturningFocus(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      const target = before instanceof HTMLElement && before !== document.body ? before : undefined;
      // After the dialog is out of the page.
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        const heading = document.querySelector<HTMLElement>('h1');
        (target?.isConnected ? target : heading)?.focus({ preventScroll: true });
      });
    };
  }, []);
}

interface DialogProps {
  title: string;
  children: ReactNode;
  onClose(): void;
  /** Where a click beside it would lose something that is shown only once. */
  isInsistent?: boolean;
  size?: string;
}

export function Dialog({ title, children, onClose, isInsistent = false, size = 'md' }: DialogProps) {
  useReturningFocus();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={size}
      centered
      // It would lock the page behind it by an inline style, which the policy forbids.
      lockScroll={false}
      closeOnClickOutside={!isInsistent}
      closeOnEscape={!isInsistent}
      withCloseButton={!isInsistent}
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 120 }}
      classNames={{ title: classes.title ?? '', header: classes.header ?? '', content: classes.content ?? '' }}
    >
      {children}
    </Modal>
  );
}
