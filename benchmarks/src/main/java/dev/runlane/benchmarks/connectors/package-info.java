/** Connectors: records a second, and how evenly they get on. */
@NullMarked
package dev.runlane.benchmarks.connectors;

import org.jspecify.annotations.NullMarked;
