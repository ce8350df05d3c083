/**
 * Jobs in Postgres: {@link dev.runlane.jobs.postgres.PgJobStore}. One mutable row a job, claimed with
 * {@code SKIP LOCKED}; what many callers of a process want at once is sent as one statement.
 */
@NullMarked
package dev.runlane.jobs.postgres;

import org.jspecify.annotations.NullMarked;
