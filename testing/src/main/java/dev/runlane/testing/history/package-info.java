/** Histories of runs: read, written as JSON and as timelines for people. */
@NullMarked
package dev.runlane.testing.history;

import org.jspecify.annotations.NullMarked;
