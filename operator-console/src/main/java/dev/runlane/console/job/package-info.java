/** Internal: the routes of job queues, jobs and flows. */
@NullMarked
package dev.runlane.console.job;

import org.jspecify.annotations.NullMarked;
