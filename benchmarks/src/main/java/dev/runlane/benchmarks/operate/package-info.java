/** The operator API on a database that has been worked with for months. */
@NullMarked
package dev.runlane.benchmarks.operate;

import org.jspecify.annotations.NullMarked;
