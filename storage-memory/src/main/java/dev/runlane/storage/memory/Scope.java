package dev.runlane.storage.memory;

import dev.runlane.timing.Ids;

/** Everything of one environment, wired together. Used under the storage's lock only. */
final class Scope {
  final Runs runs = new Runs();
  final EventLog events;
  final KeyOwners owners = new KeyOwners();
  final Outbox outbox = new Outbox();
  final PendingSteps steps;
  final Occurrences occurrences;
  final KnownSchedules schedules;
  final PublishedQueues publishedQueues = new PublishedQueues();
  final Appends appends;
  final Leases leases;
  final BatchClaims batchClaims;
  final OutboxMarks outboxMarks;
  final Scans scans;
  final Lists lists;
  final Pruning pruning;

  Scope(EventIds eventIds, Ids ids) {
    events = new EventLog(eventIds);
    occurrences = new Occurrences(ids);
    schedules = new KnownSchedules(occurrences, runs);
    steps = new PendingSteps(ids);
    Commits commits = new Commits(runs, events, owners, outbox, steps, ids);
    appends = new Appends(runs, owners, commits);
    leases = new Leases(runs, commits);
    scans = new Scans(runs);
    batchClaims = new BatchClaims(scans, commits);
    outboxMarks = new OutboxMarks(outbox, ids);
    lists = new Lists(runs, events);
    pruning = new Pruning(runs, events, owners, outbox, steps);
  }
}
