/**
 * What others see of jobs: lists, searches, events, logs and metrics.
 */
@NullMarked
package dev.runlane.conformance.jobs.view;

import org.jspecify.annotations.NullMarked;
