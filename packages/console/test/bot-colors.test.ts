// New bots can be told apart by their colors, and the widget's white text can be read on each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextColor } from '../src/widget/bot-colors.ts';

/** WCAG 2.2, relative luminance. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('each new bot has a color that no other has, as long as there are some, and then the rarest', () => {
  const taken: string[] = [];
  for (let bots = 0; bots < 8; bots++) taken.push(nextColor(taken));
  assert.equal(new Set(taken).size, 8);
  assert.equal(nextColor(taken), taken[0]);
  assert.equal(nextColor([...taken, ...taken.slice(0, 3)]), taken[3]);
});

test('white text can be read on every color', () => {
  const taken: string[] = [];
  for (let bots = 0; bots < 8; bots++) taken.push(nextColor(taken));
  for (const color of taken) {
    const contrast = 1.05 / (luminance(color) + 0.05);
    assert.ok(contrast >= 4.5, `${color}: ${contrast}`);
  }
});
