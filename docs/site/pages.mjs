// pages.mjs PROJECT TARGET: copies the project's pages to where VitePress reads them. A README becomes the index of its
// folder; a link to a folder leads to its README; one to a file that is no page (a source, a licence) becomes its name.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

const [project, target] = process.argv.slice(2);
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md', '*.png', '*.svg'],
  { cwd: project, encoding: 'utf8' }).split('\n').filter((file) => file && existsSync(join(project, file)));
const asPage = (file) => file.replace(/(^|\/)README\.md$/, '$1index.md');

function put(file, content) {
  const place = join(target, file);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, content);
}

/** The link as the site has it, or null where it leads to no page. */
function onSite(page, link) {
  if (/^[a-z]+:/.test(link) || link.startsWith('#')) {
    return link;
  }
  const [path, anchor] = link.split('#');
  let file = normalize(join(dirname(page), path)).replace(/\/$/, '');
  if (existsSync(join(project, file)) && statSync(join(project, file)).isDirectory()) {
    file = normalize(join(file, 'README.md'));
  }
  if (!tracked.includes(file)) {
    return null;
  }
  const from = relative(dirname(asPage(page)), asPage(file));
  return (from.startsWith('.') ? from : `./${from}`) + (anchor ? `#${anchor}` : '');
}

/** Applies a change to what stands outside of blocks and of code within a line. */
function outsideCode(text, change) {
  return text.split(/(^```[\s\S]*?^```[^\n]*$|``[^\n]*?``|`[^`\n]*`)/m).map((part, i) => (i % 2 ? part : change(part))).join('');
}

function linksOf(page, text) {
  // The text of a link may hold code, so links are found first, and only those outside of blocks.
  return text.split(/(^```[\s\S]*?^```[^\n]*$)/m).map((part, i) => (i % 2 ? part
    : part.replace(/(!?)\[((?:`[^`]*`|[^\[\]])*)\]\(([^)\s]+)\)/g, (whole, image, words, link) => {
      const found = onSite(page, link);
      return found === null ? words : `${image}[${words}](${found})`;
    }))).join('');
}

for (const file of tracked) {
  if (!file.endsWith('.md')) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    copyFileSync(join(project, file), join(target, file));
    continue;
  }
  const text = linksOf(file, readFileSync(join(project, file), 'utf8'));
  // What looks like a tag or an expression of Vue in prose is text.
  put(asPage(file), outsideCode(text, (prose) => prose.replace(/<(?!!--|\/?(?:https?:|br|p|a|img|b|i|sub|sup)\b)/g, '&lt;')
    .replaceAll('{{', '&#123;&#123;')));
}
