package dev.runlane.jobs.postgres;

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
