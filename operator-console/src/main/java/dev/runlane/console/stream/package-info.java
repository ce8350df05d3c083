/** Internal: changes told as they happen, by one reading for all listeners and a bounded queue for each. */
@NullMarked
package dev.runlane.console.stream;

import org.jspecify.annotations.NullMarked;
