/**
 * How a run ends: its last commit, its terminal event and what that event reports. Internal: not for
 * applications.
 */
@NullMarked
package dev.runlane.connector.run.end;

import org.jspecify.annotations.NullMarked;
