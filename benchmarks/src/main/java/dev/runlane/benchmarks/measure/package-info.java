/** Instruments: a scratch server, CPU, time, latencies and counts; they know nothing of what is measured. */
@NullMarked
package dev.runlane.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
