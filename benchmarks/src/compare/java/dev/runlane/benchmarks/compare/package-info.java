/** Other libraries doing the same work on the same Postgres. */
@NullMarked
package dev.runlane.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
