package dev.runlane.simulation;

import java.util.List;

/** Mistakes that the simulator must find. */
final class PlantedFaults {
  private static final String HELD = "dev.runlane.runtime.lease.HeldRun";
  private static final String ATTEMPT = "dev.runlane.runtime.attempt.Attempt";
  private static final String OUTCOMES = "dev.runlane.runtime.attempt.OutcomeRules";
  private static final String STEPS = "dev.runlane.runtime.steps.StepHistory";
  private static final String PUBLISHER = "dev.runlane.runtime.publish.OutboxPublisher";
  private static final String CREATIONS = "dev.runlane.runtime.process.RunCreations";
  private static final String DELIVERIES = "dev.runlane.runtime.worker.Deliveries";
  private static final String JOB_OUTCOMES = "dev.runlane.jobs.queue.attempt.Outcomes";
  private static final String WORKER = "dev.runlane.runtime.worker.Worker";
  private static final String TICK = "dev.runlane.runtime.Tick";
  private static final String SCHEDULER = "dev.runlane.runtime.schedule.Scheduler";
  private static final String LEASES = "dev.runlane.storage.memory.command.Leases";
  private static final String SCANS = "dev.runlane.storage.memory.command.Scans";
  private static final String OWNERS = "dev.runlane.storage.memory.kept.KeyOwners";

  static final List<PlantedFault> ALL = List.of(
      runtime(
          "recorded results of steps are forgotten",
          STEPS,
          "    if (step.result == null) {\n      if (step.isPending()) {",
          "    if (step.result != null) {\n      if (step.isPending()) {"),
      runtime(
          "messages are marked as published before they are",
          PUBLISHER,
          "context.transport().publishWakeups(new PublishWakeups(attempts)),",
          "Future.succeededFuture(attempts.stream().<WakeupPublishOutcome>map(each -> new WakeupPublishOutcome.Published(null)).toList()),"),
      storage(
          "a slot more than there is",
          "dev.runlane.storage.memory.run.Slots",
          "return Math.max(0, limit - (partition == null ? 0 : partition.occupiedAt(now)));",
          "return Math.max(0, limit + 1 - (partition == null ? 0 : partition.occupiedAt(now)));"),
      runtime(
          "the end of the own lease is told to nobody", HELD, "      listener.leaseEnded();", ""),
      runtime(
          "a lease counts from the answer to its heartbeat",
          HELD,
          "leaseEnd = sentAt.plus(context.options().getLeaseDuration());\n          return (Void) null;",
          "leaseEnd = now().plus(context.options().getLeaseDuration().multipliedBy(2));\n          return (Void) null;"),
      runtime(
          "no heartbeat is sent",
          HELD,
          "if (!heartbeatPending && now().compareTo(heartbeatDue) >= 0) {",
          "if (heartbeatPending && now().compareTo(heartbeatDue) >= 0) {"),
      runtime(
          "no signal at the end of the own lease",
          ATTEMPT,
          "      lost(\"ended before it could be renewed, its handler is told\");\n      signal(SignalReason.LEASE_LOST);",
          "      lost(\"ended before it could be renewed, its handler is told\");"),
      runtime(
          "a retry is granted whatever the policy says",
          OUTCOMES,
          "|| !task.retry().allowsRetryAfter(failuresBefore)",
          ""),
      runtime(
          "a cancelled run is retried",
          OUTCOMES,
          "if (run.status() == RunStatus.CANCELLATION_REQUESTED) {",
          "if (run.status() == RunStatus.QUEUED) {"),
      runtime(
          "a sweep of the outbox claims nothing",
          PUBLISHER,
          "options.getClaimDuration(), options.getBatchSize(), null))",
          "options.getClaimDuration(), options.getBatchSize(), List.of()))"),
      runtime(
          "a trigger whose answer was lost is taken for done",
          CREATIONS,
          "    return existing(wanted, failure).compose(owner -> {",
          "    if (failure instanceof RunlaneException lost && lost.code() == ErrorCode.STORAGE_UNAVAILABLE) {\n      return Future.succeededFuture(answer(wanted, RunReducer.projectRunEvents(null, ContractDefaults.NEW_EVENT_SEQUENCE, command(wanted).events()), TriggerOutcome.CREATED));\n    }\n    return existing(wanted, failure).compose(owner -> {"),
      timing(
          "a loop ends with its first failed sweep",
          "dev.runlane.timing.SweepLoop",
          "if (phase == Phase.SWEEPING) {\n            arm(next);",
          "if (phase == Phase.SWEEPING && failure == null) {\n            arm(next);"),
      storage(
          "slots of expired leases count as free",
          "dev.runlane.storage.memory.run.DueScan",
          "    return free > 0;",
          "    return free >= 0;"),
      storage(
          "a scan skips runs that are due at the same instant",
          "dev.runlane.storage.memory.run.DueScan",
          "if (step == null || step.at().at().isAfter(now)) {",
          "if (step == null || !step.at().at().isBefore(now.minusSeconds(3600))) {"),
      storage(
          "reservations take no slot",
          "dev.runlane.storage.memory.run.Slots",
          "return leased + reservations.tailSet(Position.justAfter(now), true).size();",
          "return leased;"),
      storage(
          "appends are stored without a look at the sequence",
          "dev.runlane.storage.memory.command.Commits",
          "    if (actual != expected) {",
          "    if (actual < expected) {"),
      storage(
          "a request of a delivery writes no message",
          "dev.runlane.storage.memory.command.Commits",
          "if (fact instanceof RunEvent.DeliveryRequested requested) {",
          "if (fact instanceof RunEvent.DeliveryRequested requested && facts.size() > 1) {"),
      storage(
          "an idempotency key is free once its run has ended",
          OWNERS,
          "    return owner.status().isActive()\n        || (retention != null",
          "    return owner.status().isActive()\n        || (retention == null"),
      storage(
          "two runs own one singleton key",
          OWNERS,
          "if (singleton != null) {",
          "if (singleton != null && singleton.status().isLeased()) {"),
      storage(
          "young runs are pruned",
          "dev.runlane.storage.memory.command.Pruning",
          ".takeWhile(run -> run.updatedAt().isBefore(command.olderThan()))",
          ""),
      runtime(
          "any lease of the run passes for the own one",
          HELD,
          "return read.isLeasedWith(claimed.token()) && read.counters().attempts() == attempt;",
          "return read.lease() != null;"),
      runtime(
          "cancellations are never finished",
          "dev.runlane.runtime.maintenance.CancellationFinalizer",
          ".filter(due -> !due.isAfter(now))",
          ".filter(due -> due.equals(now))"),
      runtime(
          "a refused message is marked as published",
          "dev.runlane.runtime.publish.PublishVerdicts",
          "failure(message, storable(refused.failure()), refused.failure().retryable());",
          "published.add(new Published(message.id(), message.claimToken(), null));"),
      runtime(
          "the clock goes on being watched after the close",
          "dev.runlane.runtime.Runlane",
          "          context.host().execute(context.clockMonitor()::stop);\n",
          ""),
      timing(
          "a stopped loop sweeps once more",
          "dev.runlane.timing.SweepLoop",
          "    phase = Phase.STOPPED;\n    disarm();",
          "    phase = Phase.STOPPED;"),
      core(
          "a retry is counted twice",
          "dev.runlane.run.RunTransitions",
          ".counters(run.counters().plusRetry())",
          ".counters(run.counters().plusRetry().plusRetry())"),
      core(
          "a release counts as a failure",
          "dev.runlane.run.RunTransitions",
          ".counters(run.counters().plusRelease())",
          ".counters(run.counters().plusRetry())"),
      storage(
          "a heartbeat is granted and not stored",
          LEASES,
          "    return commits.store(command.projectedRun(), List.of(command.event()));\n  }\n\n  /** Only a projection",
          "    return new AppendedRun(command.projectedRun(), List.of(), List.of());\n  }\n\n  /** Only a projection"),
      storage(
          "a message becomes available an hour late",
          "dev.runlane.storage.memory.command.Commits",
          "requested.delivery().availableAt()));",
          "requested.delivery().availableAt().plusSeconds(3600)));"),
      storage(
          "claims of messages never end",
          "dev.runlane.storage.memory.kept.Outbox",
          "        claimed.headMap(Position.justAfter(now), false).values().stream().limit(limit));",
          "        Stream.of());"),
      storage(
          "cancelled runs are found a day later",
          SCANS,
          "runs.cancelling().dueAt(query.now(), query.limit()),",
          "runs.cancelling().dueAt(query.now().minusSeconds(86400), query.limit()),"),
      storage(
          "runs whose keys are kept are pruned",
          "dev.runlane.storage.memory.command.Pruning",
          "        && !owners.retains(run, command.now());",
          ";"),
      runtime(
          "a wakeup is acknowledged before its attempt is over",
          DELIVERIES,
          "    return attempt\n        .closed()\n        .onComplete(done -> {",
          "    return Future.succeededFuture(Optional.<RunRecord>empty())\n        .onComplete(done -> {"),
      runtime(
          "a delivery that fails is taken for dealt with",
          DELIVERIES,
          "          if (failure != null) {\n            freeSlot();\n            return Future.failedFuture(failure);",
          "          if (failure != null) {\n            freeSlot();\n            return ignored(IgnoredReason.CLAIM_LOST);"),
      simulation(
          "an offset is committed past an open record",
          "dev.runlane.simulation.network.Assignment",
          "committable = settled.nextClearBit(committable);",
          "committable = Math.max(committable, offset + 1);"),
      runtime(
          "a dispatched step is asked for again after a takeover",
          "dev.runlane.runtime.remote.StepDispatcher",
          ".dispatchMissingSteps(new DispatchSteps(tasks, now))",
          ".dispatchSteps(new DispatchSteps(tasks, now))"),
      storage(
          "a step stays pending after its result",
          "dev.runlane.storage.memory.kept.PendingSteps",
          "} else if (fact instanceof RunEvent.StepCompleted result) {",
          "} else if (fact instanceof RunEvent.StepCompleted result && ended) {"),
      storage(
          "steps of ended runs are not taken away",
          "dev.runlane.storage.memory.kept.PendingSteps",
          "    if (ended) {\n      List.copyOf",
          "    if (ended && facts.size() > 9) {\n      List.copyOf"),
      runtime(
          "a lower limit of another process is ignored",
          "dev.runlane.runtime.process.QueueLimits",
          "return limit == null || (mine != null && mine <= limit)",
          "return limit == null || mine != null"),
      runtime(
          "a payload that cannot be read fails its run at once",
          "dev.runlane.runtime.attempt.UndecodablePayloads",
          "now.isBefore(row.since().plus(most))",
          "now.isAfter(row.since().plus(most))"),
      runtime(
          "an operator prunes runs of any age",
          "dev.runlane.runtime.operate.Runs",
          "        .map(now::minus)",
          "        .map(age -> now)"),
      runtime(
          "a fire is settled without a run",
          "dev.runlane.runtime.schedule.Fires",
          "    boolean shared = claim.occurrenceId().equals(fire.sharedOccurrenceId());",
          "    boolean shared = claim.occurrenceId().equals(fire.sharedOccurrenceId());\n    if (fire.fireAt().getEpochSecond() % 4 == 0) {\n      return Future.succeededFuture(FireOutcome.SETTLED);\n    }"),
      storage(
          "a heartbeat asks neither for the token nor for the sequence",
          LEASES,
          "    requireOwned(command.runId(), runs.get(command.runId()), lease);\n    commits.requireSequence(command.runId(), command.expectedSequence());\n    CommandConsistency",
          "    CommandConsistency"),
      storage(
          "the capacity is read before the claim alone",
          LEASES,
          "        || !runs.slots().hasSlotFor(policy, run, now)) {",
          ") {"),
      storage(
          "a late release clears the lease of the next owner",
          LEASES,
          "        && !run.status().isLeased()\n        && isOwnedBy(run, command.leaseToken(), command.workerId())) {",
          ") {"),
      runtime(
          "a paused queue is claimed",
          "dev.runlane.runtime.lease.Claims",
          "compose(running -> claimOf(running, workerId, limit));",
          "compose(running -> claimOf(queues, workerId, limit));"),
      runtime(
          "a resumed queue gets no new wakeups",
          "dev.runlane.runtime.maintenance.Dispatcher",
          "    return takeResumed(operator.get()).onFailure(failure -> resumedAt = null);",
          "    return Future.succeededFuture(PhaseCount.NOTHING);"),
      runtime(
          "a paused schedule fires",
          "dev.runlane.runtime.schedule.SchedulePauses",
          "return state == null || state.admits(fireAt);",
          "return true;"),
      runtime(
          "a fire of a pause is made after it",
          "dev.runlane.runtime.schedule.SchedulePauses",
          "return state == null || state.admits(fireAt);",
          "return state == null || state.pause() == null;"),
      runtime(
          "two processes make a run of one fire",
          "dev.runlane.runtime.schedule.Fire",
          "return Ids.scheduleRunId(environment, scheduleId(), fireAt.toString());",
          "return Ids.scheduleRunId(environment, scheduleId(), fireAt.toString() + System.identityHashCode(this));"),
      runtime(
          "a webhook that refuses passes for told",
          "dev.runlane.runtime.webhook.KeptRunEnds",
          "each.end().runId(), each.retryAt())",
          "each.end().runId(), null)"),
      storage(
          "webhooks are told of runs that go on",
          "dev.runlane.storage.memory.command.Commits",
          "    if (projected.status().isTerminal()) {\n      webhooks",
          "    if (projected.counters().attempts() > 0) {\n      webhooks"),
      runtime(
          "the tags of a run that is made again are lost",
          "dev.runlane.runtime.create.NewRuns",
          "        meta(withReason(options)),\n        tags,",
          "        meta(withReason(options)),\n        Map.of(),"),
      storage(
          "a run is listed by one tag of several values",
          "dev.runlane.storage.memory.command.Lists",
          ".filter(run -> events.tags(run.id()).entrySet().containsAll(wanted)),",
          ".filter(run -> !events.tags(run.id()).isEmpty()),"),
      runtime(
          "a listener is told again of what it was told by a commit",
          "dev.runlane.runtime.operate.RunEnds",
          "|| notified.putIfAbsent(run.id(), run.updatedAt()) != null) {",
          "|| (notified.putIfAbsent(run.id(), run.updatedAt()) != null && endedAt != NOW)) {"),
      runtime(
          "a listener hears of no end of another process",
          "dev.runlane.runtime.operate.RunEnds",
          "    read.runs().forEach(run -> notifyListeners(run, run.updatedAt()));\n",
          ""),
      runtime(
          "whoever waits is answered before the end",
          "dev.runlane.runtime.operate.RunWaiters",
          "      } else if (run.status().isTerminal()) {\n        ended(run);",
          "      } else if (run.counters().attempts() > 0) {\n        ended(run);"),
      storage(
          "a process signs but once",
          "dev.runlane.storage.memory.operator.OperatorRecords",
          "    processes.put(\n        command.process().processId(),",
          "    processes.putIfAbsent(\n        command.process().processId(),"),
      storage(
          "the lines of a pruned run stay",
          "dev.runlane.storage.memory.operator.LogLines",
          "    ofRun.remove(runId);",
          "    ofRun.getOrDefault(runId, new TreeMap<>());"),
      runtime(
          "lines of an attempt are numbered as they are written",
          "dev.runlane.runtime.report.HandlerLog",
          "LogLine line = new LogLine(runId, attempt, count, clock.now(), level, text, fields);",
          "LogLine line = new LogLine(runId, attempt, 1 + count / 2, clock.now(), level, text, fields);"),
      runtime(
          "attempts are counted when they begin and when they end",
          "dev.runlane.runtime.report.ThroughputCounter",
          "count(run, counts -> counts.ended(outcome, after));",
          "count(run, counts -> {\n          counts.started++;\n          counts.ended(outcome, after);\n        });"),
      runtime(
          "a release ends its run",
          "dev.runlane.runtime.attempt.AttemptEnds",
          "return released(release);",
          "return new AttemptEnd.Done(null);"),
      runtime(
          "a run whose handler is done fails",
          "dev.runlane.runtime.attempt.AttemptEnds",
          "return new AttemptEnd.Done(values.json(\"output\", done.output()));",
          "return new AttemptEnd.Failed(values.failure(new IllegalStateException(\"planted\")));"),
      runtime(
          "a failure that is not retryable is retried", OUTCOMES, "!failure.retryable() || ", ""),
      runtime(
          "every failure passes for retryable",
          "dev.runlane.runtime.process.HandlerValues",
          "failure.isRetryable(),",
          "true,"),
      runtime(
          "no failure passes for retryable",
          "dev.runlane.runtime.process.HandlerValues",
          "failure.isRetryable(),",
          "false,"),
      runtime(
          "a failed run that was asked to cancel is cancelled",
          OUTCOMES,
          "end instanceof AttemptEnd.Failed failed\n",
          "end instanceof AttemptEnd.Failed failed && failed.failure() == null\n"),
      runtime(
          "what gives up for a stop of its worker has failed",
          OUTCOMES,
          "if (signals.contains(SignalReason.WORKER_STOPPING)) {",
          "if (signals.isEmpty()) {"),
      runtime(
          "what gives up for its timeout has failed by itself",
          OUTCOMES,
          "return signals.contains(SignalReason.ATTEMPT_TIMEOUT)",
          "return signals.isEmpty()"),
      runtime(
          "whatever gives up has failed",
          "dev.runlane.runtime.attempt.AttemptEnds",
          "return HandlerValues.isGivingUp(failure)",
          "return failure == null"),
      runtime(
          "a failure after the end of the own lease is offered",
          ATTEMPT,
          "if (isLeaseOver() && end.isFailure()) {",
          "if (isLeaseOver() && end == null) {"),
      runtime(
          "a retry has no pause",
          OUTCOMES,
          ".plus(task.retry().backoff().delay(failuresBefore + 1, randomness))",
          ""),
      runtime("a release has no pause", OUTCOMES, "at.plus(released.delay())", "at"),
      runtime(
          "a handler is told its attempts for its failures",
          "dev.runlane.runtime.attempt.AttemptContext",
          "return run.counters().failures();",
          "return run.counters().attempts();"),
      runtime(
          "a handler is told of no trace",
          "dev.runlane.runtime.attempt.AttemptContext",
          "return carrier == null ? Map.of() : carrier;",
          "return Map.of();"),
      runtime("a failed step is not done anew", STEPS, "        unanswered.add(step);", ""),
      runtime(
          "a run is made without its keys",
          "dev.runlane.runtime.create.NewRuns",
          "keys(keys, task.task().idempotencyTtl(), options),\n        RunSource.TRIGGER",
          "RunKeys.NONE,\n        RunSource.TRIGGER"),
      runtime(
          "a run is made without its singleton key",
          "dev.runlane.runtime.registry.RegisteredTask",
          ".withSingletonKey(key(\"singletonKey\", task.singletonKey().orElse(null), value))",
          ""),
      runtime(
          "a run that is made again has no keys",
          "dev.runlane.runtime.create.NewRuns",
          "of.keys().withoutIdempotencyKey()",
          "dev.runlane.run.RunKeys.NONE"),
      runtime(
          "a run that is to begin later is due at once",
          "dev.runlane.runtime.create.NewRuns",
          "return delay.isZero() ? null : now.plus(delay).truncatedTo(ChronoUnit.MICROS);",
          "return null;"),
      runtime(
          "the wakeup of a run that is to begin later is due at once",
          CREATIONS,
          "wanted.runAt() == null || wanted.runAt().isBefore(now) ? now : wanted.runAt();",
          "now;"),
      runtime(
          "the owner of an idempotency key is no answer",
          CREATIONS,
          "return idempotencyOwner(wanted).map(owner -> owner.map(run -> idempotentAnswer(wanted, run)));",
          "return Future.succeededFuture(Optional.empty());"),
      runtime(
          "the owner of a singleton key is no answer",
          CREATIONS,
          "if (conflict.isConflict(StorageConflictKind.SINGLETON_KEY)) {\n      return",
          "if (conflict.isConflict(StorageConflictKind.SINGLETON_KEY) && wanted == null) {\n      return"),
      runtime(
          "a run that waits is not cancelled",
          "dev.runlane.runtime.operate.Runs",
          "if (run.status() == RunStatus.CANCELLATION_REQUESTED) {",
          "if (run.status() != RunStatus.RUNNING) {"),
      runtime(
          "a run that has not failed is retried",
          "dev.runlane.runtime.operate.Runs",
          "if (run.status() != RunStatus.FAILED) {",
          "if (run.status().isActive()) {"),
      runtime(
          "a run that goes on is run again",
          "dev.runlane.runtime.operate.Runs",
          "if (run.status().isActive()) {",
          "if (run.id().isEmpty()) {"),
      runtime(
          "a handler is not told of a cancellation",
          ATTEMPT,
          "      signal(SignalReason.CANCELLATION_REQUESTED);",
          ""),
      runtime(
          "a timeout is four times as long",
          ATTEMPT,
          "timeout = context.timers().schedule(after, () -> {\n          signal(",
          "timeout = context.timers().schedule(after.multipliedBy(4), () -> {\n          signal("),
      runtime(
          "whoever waits for the signal does not hear it",
          "dev.runlane.runtime.attempt.AttemptContext",
          "    waits.giveUp(\n        () -> RunlaneException.of(\n            ErrorCode.OPERATION_CANCELLED, \"the attempt gave up because of %s\", reason),\n        this::callbackFailed);",
          ""),
      runtime(
          "a heartbeat makes a lease ten times as long",
          HELD,
          "claimed.until(now.plus(context.options().getLeaseDuration()))",
          "claimed.until(now.plus(context.options().getLeaseDuration().multipliedBy(10)))"),
      runtime(
          "a claim makes a lease ten times as long",
          "dev.runlane.runtime.lease.Claims",
          "            context.ids().token(),\n            context.options().getLeaseDuration(),",
          "            context.ids().token(),\n            context.options().getLeaseDuration().multipliedBy(10),"),
      runtime(
          "a slot is held ten times as long for a wakeup",
          "dev.runlane.runtime.maintenance.Dispatcher",
          "delivery(run, now, timeout), policy",
          "delivery(run, now, timeout.multipliedBy(10)), policy"),
      runtime(
          "whoever waits hears of no end of another process",
          "dev.runlane.runtime.operate.RunWaiters",
          "if (timer == null && !polling && !waiting.isEmpty()) {",
          "if (timer == null && waiting.isEmpty()) {"),
      storage(
          "a failed run keeps its idempotency key",
          OWNERS,
          "(run.status() != RunStatus.FAILED && ttl != null && ttl.retention() != null)",
          "(ttl != null && ttl.retention() != null)"),
      storage(
          "a singleton key is never free again",
          OWNERS,
          "      remove(singletons, run, run.keys().singletonKey());",
          ""),
      storage(
          "an idempotency key is kept ten times as long",
          OWNERS,
          "owner.createdAt().plus(retention).truncatedTo(ChronoUnit.MICROS).isAfter(now));",
          "owner.createdAt().plus(retention.multipliedBy(10)).truncatedTo(ChronoUnit.MICROS).isAfter(now));"),
      runtime(
          "a run may lose any number of attempts",
          ATTEMPT,
          "return AttemptLosses.total(held.run()) > task.task().maxLostAttempts();",
          "return false;"),
      runtime(
          "a message that is refused is never given up",
          "dev.runlane.runtime.publish.PublishVerdicts",
          "if (mayGoAway && failures < options.getMaxAttempts()) {",
          "if (mayGoAway) {"),
      runtime(
          "a handler is not told that its worker stops",
          WORKER,
          "    List.copyOf(active).forEach(attempt -> attempt.signal(SignalReason.WORKER_STOPPING));\n",
          ""),
      runtime(
          "a worker that stops does not wait for what its handlers answer",
          WORKER,
          "schedule(options.getDrainTimeout(), this::abandonAttempts);",
          "schedule(Duration.ZERO, this::abandonAttempts);"),
      runtime(
          "a worker that stops waits twice as long as it may",
          WORKER,
          "schedule(options.getDrainTimeout(), this::abandonAttempts);",
          "schedule(options.getDrainTimeout().multipliedBy(2), this::abandonAttempts);"),
      runtime(
          "what is claimed while a worker stops is left to its lease",
          WORKER,
          "? attempts.handBack(claimed.runs(), claimed.sentAt())",
          "? List.<Attempt>of()"),
      runtime(
          "what is claimed while a worker stops is begun",
          WORKER,
          "List<Attempt> begun = stopping\n",
          "List<Attempt> begun = stopping && claimed.runs().isEmpty()\n"),
      runtime(
          "a handler is not told that its consumer stops",
          DELIVERIES,
          "    List.copyOf(active).forEach(attempt -> attempt.signal(SignalReason.WORKER_STOPPING));\n",
          ""),
      runtime(
          "a stop does not wait for the sweep under way",
          "dev.runlane.runtime.sweep.RoleLoop",
          "closeDeadline.orExpired(loop.stop().compose(ended -> role.settled()));",
          "Future.succeededFuture();\n    loop.stop();"),
      runtime(
          "a handler is not told that its runtime is closed",
          "dev.runlane.runtime.attempt.Attempts",
          "    List.copyOf(active).forEach(attempt -> attempt.signal(SignalReason.WORKER_STOPPING));\n",
          ""),
      runtime(
          "a worker that found nothing does not look again",
          WORKER,
          "        slots.pollWithin(pollInterval);\n",
          ""),
      runtime(
          "a pass finishes no cancellations",
          TICK,
          "pass.phase(cancellations)",
          "pass.phase(Tick::nothing)"),
      runtime(
          "a pass requests no lost delivery again",
          TICK,
          "pass.phase(deliveries)",
          "pass.phase(Tick::nothing)"),
      runtime(
          "a pass takes no results of remote steps",
          TICK,
          "pass.phase(stepResults)",
          "pass.phase(Tick::nothing)"),
      runtime("a pass fires no schedule", TICK, "pass.phase(fires)", "pass.phase(Tick::nothing)"),
      runtime(
          "a pass reserves nothing of bounded queues",
          TICK,
          "pass.phase(reservations)",
          "pass.phase(Tick::nothing)"),
      runtime(
          "a replay is given results in the order of their steps",
          STEPS,
          "all.subList(delivered, all.size()));",
          "all.subList(delivered, all.size()).stream().sorted(java.util.Comparator.comparing(OrderedStepResults.Settled::position)).toList());"),
      runtime(
          "a page of steps is asked for with another filter than the page before",
          "dev.runlane.runtime.steps.StepHistoryReader",
          ": readPage(filter, after, page.nextCursor(), over);",
          ": readPage(after == 0 ? filter : filter(seenAt), after, page.nextCursor(), over);"),
      runtime(
          "a replay is given the result of the step before",
          "dev.runlane.runtime.steps.OrderedStepResults",
          "StepCall<?> call = calls.get(next.position);",
          "StepCall<?> call = calls.get(Math.max(0, Math.min(next.position, calls.size() - 1 - next.position)));"),
      contracts(
          "results of remote steps are looked for every five minutes",
          "dev.runlane.steps.delivery.StepDeliveryOptions",
          "DEFAULT_LONGEST_PAUSE_WITH_SIGNALS = Duration.ofSeconds(5);",
          "DEFAULT_LONGEST_PAUSE_WITH_SIGNALS = Duration.ofMinutes(5);"),
      timing(
          "a schedule takes no notice of its zone",
          "dev.runlane.timing.fire.CronFireTimes",
          "    rules = zone.getRules();",
          "    rules = java.time.ZoneOffset.UTC.getRules();"),
      runtime(
          "missed fires that are to be skipped make a run",
          SCHEDULER,
          "return missed.kind() == MissedFires.Kind.SKIP",
          "return missed.kind() == null"),
      runtime(
          "of missed fires of which the latest makes a run, two do",
          SCHEDULER,
          "since, missed.most());",
          "since, missed.most() + 1);"),
      runtime(
          "of missed fires that all make runs, the latest does",
          SCHEDULER,
          "since, missed.most());",
          "since, 1);"),
      runtime(
          "missed fires make no run",
          SCHEDULER,
          "Instant since = known.countsFrom(registered.key());",
          "Instant since = now;"),
      runtime(
          "a disabled schedule fires",
          SCHEDULER,
          "registered.schedule().isEnabled())",
          "!registered.schedule().id().isEmpty())"),
      storage(
          "an edited schedule counts from when it was known first",
          "dev.runlane.storage.memory.kept.KnownSchedules",
          "Instant since = known == null ? countedFrom(told, now) : now;",
          "Instant since = known == null ? countedFrom(told, now) : known.firstSeen;"),
      runtime(
          "another payload is answered under a key that refuses it",
          CREATIONS,
          "if (wanted.refusesOtherPayload() && !answer.samePayload()) {",
          "if (wanted.refusesOtherPayload() && wanted.runId().isEmpty()) {"),
      runtime(
          "a call for many stores runs before one of them is refused",
          "dev.runlane.runtime.create.Triggers",
          "return creations.requireSamePayloads(wanted).compose(same -> createAll(wanted, options));",
          "return createAll(wanted, options);"),
      runtime(
          "every payload passes for the one that was given",
          CREATIONS,
          "return new CreatedRun(run, outcome, wanted.hasPayload(run.payload()), List.of());",
          "return new CreatedRun(run, outcome, true, List.of());"),
      runtime(
          "a process without a limit ignores that of another",
          "dev.runlane.runtime.process.QueueLimits",
          "return policy.concurrencyLimit() == null || limitOf(other)",
          "return policy.concurrencyLimit() != null && limitOf(other)"),
      runtime(
          "an action that was done is said to have failed",
          "dev.runlane.runtime.operate.Operator",
          "                failure == null,\n",
          "                failure != null,\n"),
      runtime(
          "an outcome is not offered again after an outage",
          HELD,
          "pause = isOutage(failure) || StorageRefusals.mayEnd(failure)\n",
          "pause = StorageRefusals.mayEnd(failure)\n"),
      runtime(
          "what is offered again after an outage is another event",
          HELD,
          "      if (known.eventSequence() != sequence) {",
          "      if (known.eventSequence() != sequence || failures > 0) {"),
      core(
          "the start of a later attempt is not noted",
          "dev.runlane.run.RunTransitions",
          ".startedAt(event.header().occurredAt());",
          ".startedAt(run.startedAt() == null ? event.header().occurredAt() : run.startedAt());"),
      storage(
          "the lease of an outcome is not compared",
          "dev.runlane.storage.memory.command.Appends",
          "    if (command.heldLease() != null) {",
          "    if (command.heldLease() != null && runs.get(command.runId()) == null) {"),
      storage(
          "a message that was refused is claimed again at once",
          "dev.runlane.storage.memory.kept.OutboxMarks",
          "next == null ? command.now() : next",
          "command.now()"),
      storage(
          "a message is claimed while somebody else has it",
          "dev.runlane.storage.memory.kept.Outbox",
          "        claimed.headMap(Position.justAfter(now), false).values().stream().limit(limit));",
          "        claimed.values().stream().limit(limit));"),
      storage(
          "whoever has claimed a message once says what became of it",
          "dev.runlane.storage.memory.kept.Outbox",
          "    if (row == null || !row.isClaimedWith(token)) {",
          "    if (row == null) {"),
      storage(
          "a full partition takes the places of others",
          "dev.runlane.storage.memory.run.DueScan",
          "    if (need == Need.A_SLOT && !takeSlot(step)) {\n      return false;",
          "    if (need == Need.A_SLOT && !takeSlot(step)) {\n      steps.clear();\n      return false;"),
      storage(
          "what a full queue refuses is stored",
          "dev.runlane.storage.memory.command.Appends",
          "      requireSlot(command);\n",
          "      try {\n        requireSlot(command);\n      } catch (RunlaneException full) {\n        commits.store(projected, command.events());\n        throw full;\n      }\n"),
      runtime(
          "a lease is renewed when two thirds of it are over",
          HELD,
          "    heartbeatDue = now().plus(interval());\n    if (leaseOver) {",
          "    heartbeatDue = now().plus(interval().multipliedBy(2));\n    if (leaseOver) {"),
      runtime(
          "news of wakeups reach no publisher",
          PUBLISHER,
          "            wakeIn.accept(options.getGatherDelay());",
          "            wakeIn.accept(options.getIdleDelay());"),
      runtime(
          "a delivery is said to be abandoned whatever it comes to",
          DELIVERIES,
          "            .<DeliveryResult>map(DeliveryResult.Executed::new)",
          "            .<DeliveryResult>map(run -> new DeliveryResult.Ignored(IgnoredReason.ABANDONED))"),
      runtime(
          "a run that does not succeed at once is said to have lost its lease",
          "dev.runlane.runtime.worker.RunNow",
          "        .compose(run -> run.map(done ->",
          "        .compose(run -> run.filter(done -> done.status() == dev.runlane.run.RunStatus.SUCCEEDED).map(done ->"),
      storage(
          "actions of operators are not recorded",
          "dev.runlane.storage.memory.operator.OperatorRecords",
          "    if (positions.putIfAbsent(command.id(), position) == null) {",
          "    if (positions.putIfAbsent(command.id(), position) == null && command.action().isEmpty()) {"),
      jobs(
          "delayed jobs are promoted before they are due",
          "dev.runlane.jobs.memory.MemoryJobStore",
          ".filter(row -> isDue(row, millis(timestamp)))",
          ".filter(row -> isDue(row, millis(timestamp).plusSeconds(20)))"),
      jobs(
          "a job whose lock was lost is ended by its former worker",
          "dev.runlane.jobs.memory.JobEnds",
          "        .filter(row -> lock.token().equals(row.job.lockToken()));",
          ";"),
      jobs(
          "a lock counts as over while it lasts",
          "dev.runlane.jobs.memory.JobEnds",
          "job.lockUntil() != null && job.lockUntil().isBefore(now);",
          "job.lockUntil() != null;"),
      jobs(
          "the children of a job count twice",
          "dev.runlane.jobs.memory.JobEnds",
          "      row.countedForParent = true;\n      childEnded(",
          "      childEnded("),
      jobs(
          "a queue hands out one job more than it may",
          "dev.runlane.jobs.memory.JobFetches",
          "queue.in(JobState.ACTIVE).size() < most)",
          "queue.in(JobState.ACTIVE).size() <= most)"),
      jobs(
          "a group has one job more at a time than it may",
          "dev.runlane.jobs.memory.JobFetches",
          "(most == null || group.active < most));",
          "(most == null || group.active <= most));"),
      jobs(
          "a window of the rate limit has one hand-out more",
          "dev.runlane.jobs.memory.JobFetches",
          "filter(begin::isBefore).count() < limit.max();",
          "filter(begin::isBefore).count() <= limit.max();"),
      jobs(
          "a paused queue of jobs is worked on",
          "dev.runlane.jobs.memory.JobFetches",
          "    return !queue.paused.contains(JobStore.ALL)\n        && (most",
          "    return (most"),
      jobs(
          "jobs of lost workers are not looked for",
          "dev.runlane.jobs.queue.attempt.StallCheck",
          "return lost.isEmpty()",
          "return !lost.isEmpty()"),
      jobs(
          "locks are not renewed",
          "dev.runlane.jobs.queue.process.LockRenewer",
          "if (now.minus(each.renewedAt).compareTo(due) >= 0) {",
          "if (now.minus(each.renewedAt).compareTo(due) < 0) {"),
      jobs(
          "a cancelled job is told to nobody",
          "dev.runlane.jobs.queue.process.LockRenewer",
          "        each.listener.accept(status);\n      }\n    }\n  }",
          "      }\n    }\n  }"),
      jobs(
          "a dead letter is not made",
          "dev.runlane.jobs.memory.JobEnds",
          "if (job.state() != JobState.FAILED || job",
          "if (job.state() == JobState.FAILED || job"),
      jobs(
          "what a handler gives up for good is tried again",
          JOB_OUTCOMES,
          "      return new Decision(\n          new JobOutcome.Failed(end.reason(), end.cause() == null ? null : stack(end.cause())),\n          null);",
          "      return failure(job, new IllegalStateException(end.reason()), now);"),
      jobs(
          "a job that snoozes has failed",
          JOB_OUTCOMES,
          "return new Decision(new JobOutcome.Snooze(now.plus(snoozed.duration())), null);",
          "return failure(job, new IllegalStateException(), now);"),
      jobs("a snooze takes no time", JOB_OUTCOMES, "now.plus(snoozed.duration())", "now"),
      jobs(
          "a parent is told of children that failed as of those that are done",
          "dev.runlane.jobs.queue.job.Job",
          ".filter(child -> child.state() == JobState.COMPLETED)",
          ".filter(child -> child.state().isTerminal())"),
      jobs(
          "what is put back comes to the queue of dead letters",
          "dev.runlane.jobs.memory.MemoryJobStore",
          "saves.save(origin.queueName(), job, null, now)",
          "saves.save(row.job.queueName(), job, null, now)"),
      new PlantedFault(
          "what a handler returned is not kept",
          World.JOBS,
          "reactive-contracts",
          "dev.runlane.jobs.store.JobTransitions",
          ".returnvalue(completed.returnvalue())",
          ".returnvalue(null)"));

  private PlantedFaults() {}

  private static PlantedFault core(String name, String type, String right, String wrong) {
    return new PlantedFault(name, World.RUNS, "core-reducer", type, right, wrong);
  }

  private static PlantedFault runtime(String name, String type, String right, String wrong) {
    return new PlantedFault(name, World.RUNS, "runtime-verticles", type, right, wrong);
  }

  private static PlantedFault contracts(String name, String type, String right, String wrong) {
    return new PlantedFault(name, World.RUNS, "reactive-contracts", type, right, wrong);
  }

  private static PlantedFault timing(String name, String type, String right, String wrong) {
    return new PlantedFault(name, World.RUNS, "timing", type, right, wrong);
  }

  private static PlantedFault simulation(String name, String type, String right, String wrong) {
    return new PlantedFault(name, World.RUNS, "simulation", type, right, wrong);
  }

  private static PlantedFault jobs(String name, String type, String right, String wrong) {
    return new PlantedFault(name, World.JOBS, "job-queue", type, right, wrong);
  }

  private static PlantedFault storage(String name, String type, String right, String wrong) {
    return new PlantedFault(name, World.RUNS, "storage-memory", type, right, wrong);
  }
}
