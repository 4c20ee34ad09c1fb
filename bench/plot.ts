// Plots the latency of each operation against the size of the bot, as an SVG.
import { LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Result } from './result.ts';

echarts.use([LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

const width = 1000;
const panelHeight = 420;
const palette = ['#4269d0', '#efb118', '#ff725c', '#6cc5b0', '#3ca951', '#ff8ab7', '#a463f2', '#97bbf5', '#9c6b4e'];

/** Both axes are logarithmic: a flat line costs the same at any size, a diagonal grows with it. */
export function plot({ cells, machine, sizes }: Result): string {
  const atOne = cells.filter(({ connections, contacts }) => connections === 1 && contacts > 0);
  const names = Array.from(new Set(atOne.map(({ operation }) => operation)));
  const panels = [
    { title: 'Searches', names: names.filter((name) => name.startsWith('search')) },
    { title: 'Everything else', names: names.filter((name) => !name.startsWith('search')) },
  ].filter((panel) => panel.names.length > 0);
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height: panelHeight * panels.length });
  const top = (panel: number) => panel * panelHeight;
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    color: palette,
    title: panels.map(({ title }, panel) => ({
      text: `${title}: p50 in ms at 1 connection, against contacts in the bot`,
      subtext: `${machine.engine}, ${machine.cpu} × ${machine.cores}`,
      top: top(panel) + 8,
      left: 16,
      textStyle: { fontSize: 15 },
    })),
    legend: panels.map((panel, i) => ({
      data: panel.names,
      orient: 'vertical',
      top: top(i) + 70,
      left: width - 280,
    })),
    grid: panels.map((_, panel) => ({ top: top(panel) + 70, height: panelHeight - 120, left: 70, right: 320 })),
    xAxis: panels.map((_, gridIndex) => ({
      type: 'log',
      gridIndex,
      min: sizes[0]?.contacts,
      max: sizes.at(-1)?.contacts,
      axisLabel: { formatter: (value: number) => value.toLocaleString('en') },
    })),
    yAxis: panels.map((_, gridIndex) => ({ type: 'log', gridIndex })),
    series: panels.flatMap((panel, index) =>
      panel.names.map((name, i) => ({
        type: 'line',
        name,
        xAxisIndex: index,
        yAxisIndex: index,
        symbol: ['circle', 'rect', 'triangle', 'diamond'][Math.floor(i / palette.length)],
        symbolSize: 7,
        lineStyle: { type: i < palette.length ? 'solid' : 'dashed' },
        color: palette[i % palette.length],
        data: atOne.filter(({ operation }) => operation === name).map(({ contacts, p50Ms }) => [contacts, p50Ms]),
      })),
    ),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}
