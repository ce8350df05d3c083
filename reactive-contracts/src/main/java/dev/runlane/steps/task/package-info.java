/**
 * Tasks of steps: dispatched by an engine, claimed, renewed and released by workers.
 */
@NullMarked
package dev.runlane.steps.task;

import org.jspecify.annotations.NullMarked;
