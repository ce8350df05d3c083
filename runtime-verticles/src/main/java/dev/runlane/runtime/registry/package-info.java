/**
 * Internal: which tasks, queues and schedules a runtime has, checked when it is built, and how their payloads
 * are read and written.
 */
@NullMarked
package dev.runlane.runtime.registry;

import org.jspecify.annotations.NullMarked;
