/** Tags as people type them. Pure. */

/**
 * The tags of lines such as `customer:acme`, or `customer=acme`; of one name the last. Throws a SyntaxError for a line that
 * is none.
 * @param {string} lines
 * @returns {Record<string, string>}
 */
export function tagsOf(lines) {
  const typed = lines.split('\n').map((line) => line.trim()).filter((line) => line !== '');
  return Object.fromEntries(typed.map((line) => {
    const [, name, value] = /^([^:=]+)[:=](.+)$/s.exec(line) ?? /^([^:]+):(.+)$/s.exec(line) ?? [];
    if (name === undefined) {
      throw new SyntaxError(`“${line}” is no tag, such as customer:acme`);
    }
    return [name.trim(), value.trim()];
  }));
}
