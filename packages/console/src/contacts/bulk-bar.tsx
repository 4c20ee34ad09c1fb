// The bar above the list while contacts are selected: how many they are, and what can be done with them.
import { Button } from '@mantine/core';
import danger from '../components/danger.module.css';
import { Icon, type IconName } from '../components/icons.tsx';
import { count, counted } from '../components/moment.tsx';
import { type BulkAction, type Chosen, countChosen } from './bulk.ts';
import classes from './bulk-actions.module.css';
import { useHeightVariable } from './use-sticky.ts';

export type BulkKind = BulkAction['kind'] | 'export';

interface BulkBarProps {
  chosen: Chosen;
  /** How many match, when not all of them are chosen yet. */
  totalToChoose: number | undefined;
  hasTags: boolean;
  hasAttributes: boolean;
  onChooseAll(): void;
  onClear(): void;
  onAct(kind: BulkKind): void;
}

export function BulkBar(props: BulkBarProps) {
  const { chosen, totalToChoose, hasTags, hasAttributes, onChooseAll, onClear, onAct } = props;
  const actions: { kind: BulkKind; label: string; icon: IconName; isHidden?: boolean }[] = [
    { kind: 'tag', label: 'Add tag…', icon: 'tag' },
    { kind: 'untag', label: 'Remove tag…', icon: 'tag', isHidden: !hasTags },
    { kind: 'attribute', label: 'Set attribute…', icon: 'gear', isHidden: !hasAttributes },
    { kind: 'clear', label: 'Remove attribute value…', icon: 'close', isHidden: !hasAttributes },
    { kind: 'export', label: 'Export…', icon: 'download' },
    { kind: 'delete', label: `Delete ${counted(countChosen(chosen), 'contact')}…`, icon: 'trash' },
  ];
  const ref = useHeightVariable('--bulk-bar-height');
  return (
    <section ref={ref} className={classes.bar} aria-label="Selection">
      <span role="status">
        {'contacts' in chosen ? `${count(countChosen(chosen))} selected` : `All ${count(chosen.total)} selected`}
      </span>
      {totalToChoose !== undefined && (
        <Button variant="subtle" size="xs" onClick={onChooseAll}>
          Select all {count(totalToChoose)} that match
        </Button>
      )}
      <Button variant="subtle" color="gray" size="xs" onClick={onClear}>
        Clear
      </Button>
      <span className={classes.actions}>
        {actions.map(
          ({ kind, label, icon, isHidden = false }) =>
            !isHidden && (
              <Button
                key={kind}
                variant="default"
                size="xs"
                className={kind === 'delete' ? (danger.item ?? '') : ''}
                leftSection={<Icon name={icon} size={15} />}
                onClick={() => onAct(kind)}
              >
                {label}
              </Button>
            ),
        )}
      </span>
    </section>
  );
}
