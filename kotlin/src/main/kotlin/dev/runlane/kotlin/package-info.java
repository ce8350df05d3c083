/** Runlane in Kotlin's coroutines: functions on tasks, contexts and the runtime. */
@NullMarked
package dev.runlane.kotlin;

import org.jspecify.annotations.NullMarked;
