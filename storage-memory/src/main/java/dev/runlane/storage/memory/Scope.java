package dev.runlane.storage.memory;

import dev.runlane.storage.memory.command.Appends;
import dev.runlane.storage.memory.command.BatchClaims;
import dev.runlane.storage.memory.command.Commits;
import dev.runlane.storage.memory.command.Leases;
import dev.runlane.storage.memory.command.Lists;
import dev.runlane.storage.memory.command.Pruning;
import dev.runlane.storage.memory.command.Scans;
import dev.runlane.storage.memory.kept.EventIds;
import dev.runlane.storage.memory.kept.EventLog;
import dev.runlane.storage.memory.kept.KeyOwners;
import dev.runlane.storage.memory.kept.KnownSchedules;
import dev.runlane.storage.memory.kept.Occurrences;
import dev.runlane.storage.memory.kept.Outbox;
import dev.runlane.storage.memory.kept.OutboxMarks;
import dev.runlane.storage.memory.kept.PendingSteps;
import dev.runlane.storage.memory.kept.PublishedQueues;
import dev.runlane.storage.memory.operator.Alerts;
import dev.runlane.storage.memory.operator.Depths;
import dev.runlane.storage.memory.operator.Documents;
import dev.runlane.storage.memory.operator.KnownTasks;
import dev.runlane.storage.memory.operator.LogLines;
import dev.runlane.storage.memory.operator.OperatorRecords;
import dev.runlane.storage.memory.operator.ResumedQueues;
import dev.runlane.storage.memory.operator.Throughput;
import dev.runlane.storage.memory.operator.Webhooks;
import dev.runlane.storage.memory.run.Runs;
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
  final OperatorRecords operator = new OperatorRecords();
  final ResumedQueues resumed = new ResumedQueues(runs);
  final Throughput throughput = new Throughput();
  final Webhooks webhooks = new Webhooks();
  final Documents documents = new Documents();
  final KnownTasks tasks = new KnownTasks();
  final Alerts alerts = new Alerts();
  final LogLines logLines;
  final Depths depths;
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
    logLines = new LogLines(runs);
    depths = new Depths(runs, outbox, steps);
    Commits commits = new Commits(runs, events, owners, outbox, steps, ids, webhooks);
    appends = new Appends(runs, owners, commits);
    leases = new Leases(runs, commits);
    scans = new Scans(runs);
    batchClaims = new BatchClaims(scans, commits);
    outboxMarks = new OutboxMarks(outbox, ids);
    lists = new Lists(runs, events);
    pruning = new Pruning(runs, events, owners, outbox, steps, logLines);
  }
}
