package dev.runlane.conformance.model;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Lease;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.read.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about processes and the leases of their workers. */
public final class ModelProcesses {
  private final StorageModel model;
  private final ModelPages pages;
  private final List<Sign> signs = new ArrayList<>(); // the latest of each process

  public ModelProcesses(StorageModel model, Names names) {
    this.model = model;
    this.pages = new ModelPages(names);
  }

  public @Nullable Void sign(SignOfLife command) {
    OperatorChecks.check(command);
    Instant kept = command.now().minus(OperatorStore.GONE_KEPT);
    signs.removeIf(each -> each.environment.equals(command.environment())
        && (each.known.process().processId().equals(command.process().processId())
            || each.known.lastSeen().isBefore(kept)));
    signs.add(new Sign(command.environment(), new KnownProcess(command.process(), command.now())));
    return null;
  }

  public @Nullable Void end(EndProcess command) {
    OperatorChecks.check(command);
    signs.removeIf(each -> each.environment.equals(command.environment())
        && each.known.process().processId().equals(command.processId()));
    return null;
  }

  public Page<KnownProcess> list(ListProcesses query) {
    OperatorChecks.check(query);
    return pages.page(
        List.of(query.environment()),
        known(query.environment()),
        Comparator.comparing(known -> known.process().processId(), Identifiers.ORDER),
        query.limit(),
        query.cursor());
  }

  /** A process says itself in which queues and for how long at most it holds leases: others need not be found. */
  public List<HeldLease> leases(LeasesOf query, @Nullable List<HeldLease> answer) {
    OperatorChecks.check(query);
    Optional<RuntimeProcess> process = known(query.environment())
        .map(KnownProcess::process)
        .filter(each -> each.processId().equals(query.processId()))
        .findFirst();
    return process.stream()
        .flatMap(
            each -> model.runs(query.environment()).flatMap(run -> held(run, each, query.now())))
        .filter(lease -> isAsSaid(lease, process.orElseThrow(), query.now())
            || answer == null
            || answer.contains(lease))
        .sorted(Comparator.comparing(HeldLease::expiresAt)
            .thenComparing(HeldLease::runId, Identifiers.ORDER))
        .limit(query.limit())
        .toList();
  }

  private static Stream<HeldLease> held(ModelRun run, RuntimeProcess process, Instant now) {
    Lease lease = run.record.lease();
    return lease != null
            && run.record.status().isActive()
            && lease.expiresAt().isAfter(now)
            && process.workerIds().contains(lease.workerId())
        ? Stream.of(new HeldLease(
            run.record.id(),
            run.record.taskId(),
            run.record.queue(),
            lease.workerId(),
            lease.expiresAt()))
        : Stream.empty();
  }

  private static boolean isAsSaid(HeldLease lease, RuntimeProcess process, Instant now) {
    return process.queues().contains(lease.queue())
        && !lease.expiresAt().isAfter(now.plus(process.longestLease()));
  }

  /** How long the leases of those that live last at most. */
  Optional<Duration> longestLease(Environment environment, Instant now) {
    return known(environment)
        .filter(each -> !each.isGoneAt(now))
        .map(each -> each.process().longestLease())
        .max(Comparator.naturalOrder());
  }

  public Stream<KnownProcess> known(Environment environment) {
    return signs.stream()
        .filter(each -> each.environment.equals(environment))
        .map(each -> each.known);
  }

  /** When processes are gone or forgotten. */
  public Stream<Instant> decisive() {
    return signs.stream()
        .map(each -> each.known.lastSeen())
        .flatMap(seen ->
            Stream.of(seen.plus(OperatorStore.GONE_AFTER), seen.plus(OperatorStore.GONE_KEPT)));
  }

  private record Sign(Environment environment, KnownProcess known) {}
}
