/**
 * The job queue as applications use it: queues that jobs are added to, workers that run them, flows of jobs
 * that wait for each other, and what observes them. Everything stands on the contract {@code JobStore}, so it is
 * the same whichever store holds the jobs.
 */
@NullMarked
package dev.runlane.jobs.queue;

import org.jspecify.annotations.NullMarked;
