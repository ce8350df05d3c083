/**
 * Workers of the job queue that die between any two statements, and fleets of them.
 */
@NullMarked
package dev.runlane.drills.jobs;

import org.jspecify.annotations.NullMarked;
