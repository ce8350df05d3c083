/** The commands on what belongs to no run: queues, processes, outbox, schedules, and what operators did. */
@NullMarked
package dev.runlane.cli.fleet;

import org.jspecify.annotations.NullMarked;
