/**
 * Internal: durable steps inside one attempt: what history answers, what is run or asked for, and what is
 * recorded.
 */
@NullMarked
package dev.runlane.runtime.steps;

import org.jspecify.annotations.NullMarked;
