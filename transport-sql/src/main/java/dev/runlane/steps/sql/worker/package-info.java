/**
 * Workers of remote steps in Java: {@code SqlStepWorker} claims tasks from the tables, renews them and runs
 * handlers.
 */
@NullMarked
package dev.runlane.steps.sql.worker;

import org.jspecify.annotations.NullMarked;
