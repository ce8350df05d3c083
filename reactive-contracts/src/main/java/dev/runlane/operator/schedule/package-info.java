/** API: the schedules of an environment as operators see them, and their pauses. */
@NullMarked
package dev.runlane.operator.schedule;

import org.jspecify.annotations.NullMarked;
