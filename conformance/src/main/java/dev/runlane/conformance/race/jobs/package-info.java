/** Races of commands to job stores, explained by the model of job stores. */
@NullMarked
package dev.runlane.conformance.race.jobs;

import org.jspecify.annotations.NullMarked;
