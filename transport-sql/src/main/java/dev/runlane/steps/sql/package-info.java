/**
 * Remote steps over two SQL tables, which engines and workers in other languages share: {@link
 * dev.runlane.steps.sql.SqlStepTransport} for the tables, {@link dev.runlane.steps.sql.worker.SqlStepWorker} to run
 * handlers.
 */
@NullMarked
package dev.runlane.steps.sql;

import org.jspecify.annotations.NullMarked;
