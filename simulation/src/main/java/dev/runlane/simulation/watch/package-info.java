/** What is noted of a fleet while it runs, for promises that histories alone cannot show. */
@NullMarked
package dev.runlane.simulation.watch;

import org.jspecify.annotations.NullMarked;
