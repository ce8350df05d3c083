/** The commands on queues of jobs. */
@NullMarked
package dev.runlane.cli.jobs;

import org.jspecify.annotations.NullMarked;
