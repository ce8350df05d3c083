/** What has changed between two texts, line by line. Pure. */

/** Longer texts are compared only by what stands in one and not in the other. */
const MOST_CELLS = 4_000_000;

/**
 * @param {string} before
 * @param {string} after
 * @returns {{sign: ' ' | '-' | '+', line: string}[]}
 */
export function difference(before, after) {
  const old = before.split('\n');
  const now = after.split('\n');
  if (old.length * now.length > MOST_CELLS) {
    const [known, wanted] = [new Set(old), new Set(now)];
    return [...old.filter((line) => !wanted.has(line)).map((line) => ({ sign: /** @type {'-'} */ ('-'), line })),
      ...now.filter((line) => !known.has(line)).map((line) => ({ sign: /** @type {'+'} */ ('+'), line }))];
  }
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let one = old.length - 1; one >= 0; one--) {
    for (let other = now.length - 1; other >= 0; other--) {
      common[one][other] = old[one] === now[other] ? common[one + 1][other + 1] + 1 : Math.max(common[one + 1][other], common[one][other + 1]);
    }
  }
  const lines = [];
  let one = 0;
  let other = 0;
  while (one < old.length || other < now.length) {
    if (one < old.length && other < now.length && old[one] === now[other]) {
      lines.push({ sign: /** @type {' '} */ (' '), line: old[one++] });
      other++;
    } else if (other === now.length || (one < old.length && common[one + 1][other] >= common[one][other + 1])) {
      lines.push({ sign: /** @type {'-'} */ ('-'), line: old[one++] });
    } else {
      lines.push({ sign: /** @type {'+'} */ ('+'), line: now[other++] });
    }
  }
  return lines;
}
