/** Workloads in interleaved rounds on a scratch Postgres: what each subject does, and what it costs. */
@NullMarked
package dev.runlane.benchmarks.load;

import org.jspecify.annotations.NullMarked;
