/** API: the tasks of a fleet, as the processes that have them say: payload schemas, queues and keys. */
@NullMarked
package dev.runlane.operator.task;

import org.jspecify.annotations.NullMarked;
