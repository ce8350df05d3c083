/** What may be wrong with a database of runs: each check, what it finds, and what mends it. */
@NullMarked
package dev.runlane.cli.doctor;

import org.jspecify.annotations.NullMarked;
