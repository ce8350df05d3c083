/** Templates: the one place that names the library's file. */
export { html, svg, nothing, render } from '../vendor/lit-html.js';
