/** The {@code runlane} command. */
@NullMarked
package dev.runlane.cli;

import org.jspecify.annotations.NullMarked;
