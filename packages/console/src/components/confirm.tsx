// Dialogs, and the confirmation of an action that cannot be undone. The most destructive ones require typing a name.
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
  /** The action can be undone, so the button is not in the warning colour. */
  isHarmless?: boolean;
  /** Must be typed to enable the button. */
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
  return (
    <Modal
      opened
      onClose={onClose}
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
      {children}
    </Modal>
  );
}
