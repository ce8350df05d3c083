/** Rows that move keep their nodes: what has the focus or is open stays what it is. For pages that are read later. */
export { repeat } from '../vendor/directives/repeat.js';
