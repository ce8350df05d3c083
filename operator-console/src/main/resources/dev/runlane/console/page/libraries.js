/** Libraries that are read when they are needed, with their styles. */

/** What draws charts. */
export async function plotLibrary() {
  const style = document.createElement('link');
  style.rel = 'stylesheet';
  style.href = new URL('./vendor/uplot.css', import.meta.url).href;
  const styled = new Promise((resolve, reject) => {
    style.onload = resolve;
    style.onerror = () => reject(new Error('the charts have no style'));
  });
  document.head.append(style);
  const [library] = await Promise.all([import('./vendor/uplot.js'), styled]);
  return library.default;
}
