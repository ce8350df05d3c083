/**
 * Internal: one attempt of one run: decode, call the handler, and store what became of it.
 */
@NullMarked
package dev.runlane.runtime.attempt;

import org.jspecify.annotations.NullMarked;
