/** What must hold while a fleet works and when it is done. */
@NullMarked
package dev.runlane.simulation.check;

import org.jspecify.annotations.NullMarked;
