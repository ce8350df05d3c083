/** API: how much was done in a minute, and how long it took, by queue and task. */
@NullMarked
package dev.runlane.operator.throughput;

import org.jspecify.annotations.NullMarked;
