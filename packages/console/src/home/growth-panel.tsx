// How contacts grew: the number of new ones per day as a chart, and as words for those who do not see it.
import { VisuallyHidden } from '@mantine/core';
import type { Overview } from '@roster/contract';
import { lazy, Suspense, useState } from 'react';
import { counted } from '../components/moment.tsx';
import { Panel } from '../components/page.tsx';
import classes from './growth-panel.module.css';

const GrowthChart = lazy(() => import('./growth-chart.tsx'));

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' });

function describe({ date, newContactCount }: Overview['days'][number]): string {
  return `${day.format(new Date(date))}: ${counted(newContactCount, 'new contact')}`;
}

export function GrowthPanel({ days }: { days: Overview['days'] }) {
  const [pointed, setPointed] = useState<number>();
  const total = days.reduce((sum, { newContactCount }) => sum + newContactCount, 0);
  const summary = `${counted(total, 'new contact')} in the last ${days.length} days`;
  const shown = pointed === undefined ? undefined : days[pointed];
  return (
    <Panel title="New contacts">
      <p className={classes.readout}>{shown === undefined ? summary : describe(shown)}</p>
      <div className={classes.place}>
        <Suspense>
          <GrowthChart days={days} onPoint={setPointed} />
        </Suspense>
      </div>
      <VisuallyHidden component="ul" aria-label="New contacts per day, in UTC">
        {days
          .filter(({ newContactCount }) => newContactCount > 0)
          .map((each) => (
            <li key={each.date}>{describe(each)}</li>
          ))}
      </VisuallyHidden>
    </Panel>
  );
}
