/** The end-to-end load program: what Runlane does on a real Postgres, and what it costs. */
@NullMarked
package dev.runlane.benchmarks;

import org.jspecify.annotations.NullMarked;
