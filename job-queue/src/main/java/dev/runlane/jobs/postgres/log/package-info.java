/**
 * What is written beside a job: events, metrics and log lines. Internal: not for applications.
 */
@NullMarked
package dev.runlane.jobs.postgres.log;

import org.jspecify.annotations.NullMarked;
