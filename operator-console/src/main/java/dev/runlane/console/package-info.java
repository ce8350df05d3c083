/** The HTTP API for operators: {@link dev.runlane.console.OperatorConsole}. */
@NullMarked
package dev.runlane.console;

import org.jspecify.annotations.NullMarked;
