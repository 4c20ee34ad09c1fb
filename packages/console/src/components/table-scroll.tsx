// A table that scrolls horizontally where the page is too narrow, also by the keyboard.
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './table-scroll.module.css';

export function TableScroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls, and this is none.
    <div className={classes.scroll} role="group" aria-label={label} tabIndex={0}>
      <Table className={classes.table ?? ''} verticalSpacing="sm">
        {children}
      </Table>
    </div>
  );
}
