// Text is readable on every colour that a bot may have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colorsOf } from '../src/contrast.ts';

/** WCAG 2, written again from the standard. */
function luminance(channels: readonly number[]): number {
  const [red, green, blue] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): number[] {
  const hex = /^#(..)(..)(..)$/
    .exec(color)
    ?.slice(1)
    .map((pair) => Number.parseInt(pair, 16));
  return hex ?? color.match(/\d+/g)?.map(Number) ?? [];
}

function contrast(one: string, other: string): number {
  const [light, dark] = [one, other].map((color) => luminance(channelsOf(color))).sort((a, b) => b - a) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

const hex = (channels: readonly number[]) =>
  `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;

test('text has a contrast of at least 4.5 to 1 on every colour', () => {
  const steps = Array.from({ length: 18 }, (_, index) => index * 15);
  for (const red of steps) {
    for (const green of steps) {
      for (const blue of steps) {
        const { paint, text } = colorsOf(hex([red, green, blue]));
        const written = text === '#fff' ? '#ffffff' : '#000000';
        assert.ok(contrast(paint, written) >= 4.5, `${text} on ${paint} for ${hex([red, green, blue])}`);
      }
    }
  }
});

test('a colour on which white text is readable is not changed, nor is a pale one, which gets black text', () => {
  assert.deepEqual(colorsOf('#0f766e'), { paint: 'rgb(15,118,110)', text: '#fff' });
  assert.deepEqual(colorsOf('#ffe14d'), { paint: '#ffe14d', text: '#000' });
});

test('the default colour, on which white text is nearly readable, is darkened slightly', () => {
  const { paint, text } = colorsOf('#2f6fed');
  assert.equal(text, '#fff');
  for (const [index, channel] of channelsOf(paint).entries()) {
    assert.ok(Math.abs(channel - (channelsOf('#2f6fed')[index] as number)) <= 4, paint);
  }
});
