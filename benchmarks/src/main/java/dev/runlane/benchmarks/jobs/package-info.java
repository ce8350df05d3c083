/** The job queue, and other job queues beside it. */
@NullMarked
package dev.runlane.benchmarks.jobs;

import org.jspecify.annotations.NullMarked;
