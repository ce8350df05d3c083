/** What a terminal shows: tables as wide as it is, colours, times, progress. */
@NullMarked
package dev.runlane.cli.terminal;

import org.jspecify.annotations.NullMarked;
