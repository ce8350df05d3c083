package dev.runlane.jobs.postgres;

import dev.runlane.jobs.postgres.operate.JobChanges;
import dev.runlane.jobs.postgres.operate.JobReads;
import dev.runlane.jobs.postgres.operate.JobSchedules;
import dev.runlane.jobs.postgres.row.JobSession;
import dev.runlane.jobs.postgres.row.JobTransactions;

/**
 * What commands that may join a caller's transaction work with.
 *
 * @param session the pool, or the caller's connection
 * @param transactions transactions of the store's own, or savepoints in the caller's
 * @param changes changes of jobs and queues
 * @param schedules named schedules
 * @param reads everything that only looks
 */
record JobScope(
    JobSession session,
    JobTransactions transactions,
    JobChanges changes,
    JobSchedules schedules,
    JobReads reads) {}
