/**
 * API: what an application defines and gets back: tasks, queues, schedules, handlers and their context,
 * steps, results of triggers.
 */
@NullMarked
package dev.runlane.runtime.task;

import org.jspecify.annotations.NullMarked;
