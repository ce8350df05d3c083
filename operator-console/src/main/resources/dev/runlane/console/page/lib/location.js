/** The address is the state: every view and filter has its own, which can be sent to others. */

/**
 * @typedef {{ parts: string[], query: URLSearchParams }} Place
 */

/** @returns {Place} */
export function here() {
  return {
    parts: location.pathname.split('/').filter((part) => part !== '').map(decoded),
    query: new URLSearchParams(location.search),
  };
}

function decoded(/** @type {string} */ part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // not of ours: shown as it stands
  }
}

/**
 * The query of an address with some of its parameters changed: the others stay as they are, all of equal names too.
 * @param {URLSearchParams} query
 * @param {Record<string, string | string[] | number | undefined>} changed undefined and '': without it
 * @returns {string} with its question mark; empty where nothing is left
 */
export function changedQuery(query, changed) {
  const parts = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changed)) {
    parts.delete(name);
    [value].flat().filter((each) => each !== undefined && each !== '').forEach((each) => parts.append(name, String(each)));
  }
  return parts.size > 0 ? `?${parts}` : '';
}

/**
 * Who comes back finds the page where they had scrolled it to: its entry of the history has that.
 * @param {string} address
 * @param {{replace?: boolean}} [how]
 */
export function go(address, { replace = false } = {}) {
  if (replace) {
    history.replaceState(history.state, '', address);
  } else {
    history.replaceState({ top: window.scrollY }, '');
    history.pushState(null, '', address);
  }
  window.dispatchEvent(new CustomEvent('rl-moved'));
}

/** Follows links within the console without loading it anew. */
export function followLinks() {
  document.addEventListener('click', (click) => {
    const link = click.target instanceof Element ? click.target.closest('a[href]') : null;
    const isPlain = click.button === 0 && !click.metaKey && !click.ctrlKey && !click.shiftKey && !click.altKey;
    if (!(link instanceof HTMLAnchorElement) || !isPlain || link.origin !== location.origin || link.download || link.target !== ''
      || link.hash !== '' || link.pathname.startsWith('/api/') || link.pathname.startsWith('/auth/')) {
      return;
    }
    click.preventDefault();
    go(link.pathname + link.search);
  });
  window.addEventListener('popstate', ({ state }) => window.dispatchEvent(new CustomEvent('rl-moved', { detail: { top: Number(state?.top) || 0 } })));
}
