// Dialogs, the confirmation of an action that cannot be undone, and the question before unsaved edits are lost. The most
// destructive actions require typing a name.
import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { DialogEdits } from '../unsaved.ts';
import classes from './confirm.module.css';
import { FailureNote } from './failure-note.tsx';

interface ConfirmProps<Answer> {
  title: string;
  /** What will happen. */
  children: ReactNode;
  confirmLabel: string;
  /** The action can be undone, so the button is not in the warning colour. */
  isHarmless?: boolean;
  /** Must be typed to enable the button. */
  typedName?: string;
  onConfirm(): Promise<Answer>;
  onDone(answer: Answer): void;
  onClose(): void;
}

export function Confirm<Answer>(props: ConfirmProps<Answer>) {
  const { title, children, confirmLabel, isHarmless = false, typedName, onConfirm, onDone, onClose } = props;
  const [typed, setTyped] = useState('');
  const isSending = useRef(false);
  const mutation = useMutation({
    mutationFn: onConfirm,
    onSuccess: onDone,
    onSettled: () => {
      isSending.current = false;
    },
  });
  const isReady = typedName === undefined || typed.trim() === typedName;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Two clicks may come before the button is shown as busy.
    if (!isReady || isSending.current) return;
    isSending.current = true;
    mutation.mutate();
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

/**
 * Restores the focus when the dialog closes. When the former element is gone (a menu item), focuses the page's title.
 */
function useFocusRestore(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      const target = before instanceof HTMLElement && before !== document.body ? before : undefined;
      // Runs after the dialog is removed from the page.
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
  /** False where closing it by accident would lose something, such as a secret that is shown only once. */
  isDismissible?: boolean;
  /** It may open while another one is open. */
  isOnTop?: boolean;
  size?: string;
}

export function Dialog({ title, children, onClose, isDismissible = true, isOnTop = false, size = 'md' }: DialogProps) {
  useFocusRestore();
  const [edits] = useState(() => new Set<symbol>());
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Modal
      opened
      // By Esc, a click beside it, or its cross, which all happen by accident.
      onClose={() => (edits.size > 0 ? setIsAsking(true) : onClose())}
      title={title}
      size={size}
      {...(isOnTop && { zIndex: 400 })}
      centered
      // Mantine locks scrolling by an inline style, which the content security policy forbids.
      lockScroll={false}
      closeOnClickOutside={isDismissible}
      closeOnEscape={isDismissible}
      withCloseButton={isDismissible}
      closeButtonProps={{ 'aria-label': 'Close' }}
      transitionProps={{ duration: 120 }}
      classNames={{ title: classes.title ?? '', header: classes.header ?? '', content: classes.content ?? '' }}
    >
      <DialogEdits value={edits}>{children}</DialogEdits>
      {isAsking && <DiscardEdits onDiscard={onClose} onStay={() => setIsAsking(false)} />}
    </Modal>
  );
}

/** Asks before edits are lost. */
export function DiscardEdits({ onDiscard, onStay }: { onDiscard: () => void; onStay: () => void }) {
  return (
    <Dialog title="Discard unsaved changes?" onClose={onStay} isOnTop size="sm">
      <div className={classes.form}>
        <div className={classes.text}>Your changes haven’t been saved.</div>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onStay} data-autofocus>
            Keep editing
          </Button>
          <Button className={classes.danger ?? ''} onClick={onDiscard}>
            Discard changes
          </Button>
        </Group>
      </div>
    </Dialog>
  );
}
