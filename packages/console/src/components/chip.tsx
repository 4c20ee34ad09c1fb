// A short text that can be removed: a filter, a tag.
import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './chip.module.css';
import { Icon } from './icons.tsx';

interface ChipProps {
  text: string;
  removeLabel: string;
  isDisabled?: boolean;
  /** Left out: it cannot be removed. */
  onRemove?: (() => void) | undefined;
  /** A button in place of the text. */
  children?: ReactNode;
}

export function Chip({ text, removeLabel, isDisabled = false, onRemove, children }: ChipProps) {
  return (
    <li className={classes.chip}>
      {children || <span className={classes.text}>{text}</span>}
      {onRemove && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="xs"
          aria-label={removeLabel}
          disabled={isDisabled}
          onClick={onRemove}
        >
          <Icon name="close" size={12} />
        </ActionIcon>
      )}
    </li>
  );
}
