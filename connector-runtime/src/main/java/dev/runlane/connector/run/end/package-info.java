/**
 * How a run ends: its last commit, its terminal event and what that event tells. Internal: not for
 * applications.
 */
@NullMarked
package dev.runlane.connector.run.end;

import org.jspecify.annotations.NullMarked;
