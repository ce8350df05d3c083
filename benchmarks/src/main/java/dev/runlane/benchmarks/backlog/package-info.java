/** What single calls cost while very much waits. */
@NullMarked
package dev.runlane.benchmarks.backlog;

import org.jspecify.annotations.NullMarked;
