/** All lines of the table of targets, of whichever program measures them. */
@NullMarked
package dev.runlane.benchmarks.targets;

import org.jspecify.annotations.NullMarked;
