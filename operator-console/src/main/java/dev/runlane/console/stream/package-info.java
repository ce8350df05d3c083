/** Internal: changes told as they happen: one reading for all listeners of the process, and a bounded queue for each. */
@NullMarked
package dev.runlane.console.stream;

import org.jspecify.annotations.NullMarked;
