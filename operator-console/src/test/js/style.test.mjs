import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const style = readFileSync(new URL('./style.css', import.meta.url), 'utf8');
const [light, dark] = [...style.matchAll(/:root [{](.*?)[}]/gs)].map(([, rules]) => Object.fromEntries([...rules.matchAll(/--([a-z0-9-]+): (#[0-9a-f]+)/g)].map(([, name, value]) => [name, value])));

function luminance(colour) {
  const digits = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit) : colour.slice(1).match(/../g);
  const [red, green, blue] = digits.map((each) => parseInt(each, 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [most, least] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (most + 0.05) / (least + 0.05);
}

for (const [name, theme] of Object.entries({ light, dark })) {
  test(`bars stand out from the panel and their texts from the bars in the ${name} theme`, () => {
    for (const edge of ['bar-edge', 'bad']) {
      assert.ok(contrast(theme[edge], theme.panel) >= 3, `${edge} on the panel`);
    }
    for (const bar of ['bar-queued', 'bar-still', 'bar-run', 'bar-good', 'bar-bad']) {
      assert.ok(contrast(theme[bar], theme['on-bar']) >= 4.5, `text on ${bar}`);
    }
    for (const line of ['0', '1', '2', '3', '4', '5', 'bad']) {
      assert.ok(contrast(theme[`chart-${line}`], theme.panel) >= 3, `chart-${line} on the panel`);
    }
  });
}
