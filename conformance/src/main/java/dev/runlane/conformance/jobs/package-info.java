/**
 * The base of every promise of a job store: a store on fresh state for each case.
 */
@NullMarked
package dev.runlane.conformance.jobs;

import org.jspecify.annotations.NullMarked;
