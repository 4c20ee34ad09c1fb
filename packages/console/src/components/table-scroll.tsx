// A table that scrolls by itself where the page is too narrow for it, by the keyboard too.
import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './table-scroll.module.css';

export function TableScroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: nothing here is filled in.
    <div className={classes.scroll} role="group" aria-label={label} tabIndex={0}>
      <Table className={classes.table ?? ''} verticalSpacing="sm">
        {children}
      </Table>
    </div>
  );
}
