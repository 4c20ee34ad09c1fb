// The chart of new contacts per day: bars on a canvas. It is loaded when the first page shows it, and for the eyes alone:
// the panel around it says the same in words.
import type { Overview } from '@roster/contract';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import classes from './growth-chart.module.css';

interface GrowthChartProps {
  days: Overview['days'];
  /** The day under the pointer; undefined when it has left. */
  onPoint(index: number | undefined): void;
}

const height = 170;
const font = '12px Inter, system-ui, sans-serif';
/** A single contact is not a bar of the whole height. */
const countsMin = 4;
/** Steps between labels, in days and in contacts. */
const daySteps = [1, 2, 5, 7, 10, 15];
const countSteps = Array.from({ length: 9 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

const dayLabel = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const countLabel = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** Read whenever the chart is drawn, so that it follows the colour scheme. */
function color(variable: string): () => string {
  return () => getComputedStyle(document.documentElement).getPropertyValue(variable);
}

/** Part of the library, though its types leave open whether it is there. */
const bars = (uPlot.paths.bars as uPlot.Series.BarsPathBuilderFactory)({ size: [0.7, 28], radius: 0.25 });

function optionsOf(days: Overview['days'], onPoint: GrowthChartProps['onPoint'], width: number): uPlot.Options {
  const axis = { stroke: color('--mantine-color-dimmed'), font, ticks: { show: false } } as const;
  return {
    width,
    height,
    padding: [8, 14, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    // Days are numbered: as times, they would be drawn in the reader's time zone.
    scales: {
      x: { time: false, range: (_, min, max) => [min - 0.6, max + 0.6] },
      y: { range: (_, __, max) => [0, Math.max(countsMin, max)] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        incrs: daySteps,
        space: 56,
        values: (_, splits) => splits.map((index) => (days[index] ? dayLabel.format(new Date(days[index].date)) : '')),
      },
      {
        ...axis,
        size: 44,
        space: 36,
        incrs: countSteps,
        grid: { stroke: color('--line'), width: 1 },
        values: (_, splits) => splits.map((value) => countLabel.format(value)),
      },
    ],
    series: [
      {},
      {
        fill: color('--mantine-primary-color-filled'),
        width: 0,
        points: { show: false },
        paths: bars,
      },
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}

export default function GrowthChart({ days, onPoint }: GrowthChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const report = useRef(onPoint);
  report.current = onPoint;
  useEffect(() => {
    const element = place.current as HTMLDivElement;
    const options = optionsOf(days, (index) => report.current(index), element.clientWidth);
    const data: uPlot.AlignedData = [days.map((_, index) => index), days.map(({ newContactCount }) => newContactCount)];
    const chart = new uPlot(options, data, element);
    const sizes = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    // The colour of the bars is part of their paths.
    const schemes = new MutationObserver(() => chart.redraw(true, true));
    schemes.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    return () => {
      sizes.disconnect();
      schemes.disconnect();
      chart.destroy();
    };
  }, [days]);
  return <div ref={place} className={classes.chart} aria-hidden="true" />;
}
