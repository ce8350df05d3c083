/**
 * Workers that are killed, stopped, restarted and mixed with a previous version, and the drill of everything
 * at once.
 */
@NullMarked
package dev.runlane.drills.worker;

import org.jspecify.annotations.NullMarked;
