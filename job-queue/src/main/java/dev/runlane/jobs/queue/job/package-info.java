/**
 * A job in the hands of an application: what a handler gets and answers, and how others observe it.
 */
@NullMarked
package dev.runlane.jobs.queue.job;

import org.jspecify.annotations.NullMarked;
