/** What promises about silence, outages, upgrades and backlogs come to, measured on real parts. */
@NullMarked
package dev.runlane.benchmarks.promises;

import org.jspecify.annotations.NullMarked;
