package dev.runlane.simulation.watch;

import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.Line;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Stands in front of the storage and remembers what is pruned, which must be old, ended and without a kept key. */
public final class PruneWatch implements Line {
  private final StoredRuns stored;
  private final Supplier<Instant> trueTime;
  private final Duration kept;
  private final Duration clocksDiffer;
  private final Predicate<RunRecord> isReset;
  private final Line others;
  private final Consumer<Violation> found;
  private final List<RunHistory> pruned = new ArrayList<>();
  private final Set<String> unsettled = new HashSet<>();

  /**
   * @param kept how long ended runs are kept at least
   * @param isReset whether an operator freed the key of a run
   * @param others what all other calls go through
   */
  public PruneWatch(
      StoredRuns stored,
      Supplier<Instant> trueTime,
      Duration kept,
      Duration clocksDiffer,
      Predicate<RunRecord> isReset,
      Line others,
      Consumer<Violation> found) {
    this.stored = stored;
    this.trueTime = trueTime;
    this.kept = kept;
    this.clocksDiffer = clocksDiffer;
    this.isReset = isReset;
    this.others = others;
    this.found = found;
  }

  /** Every run that was pruned, as it was then. */
  public List<RunHistory> pruned() {
    return pruned;
  }

  @Override
  public Future<?> call(String method, Supplier<Future<?>> execute) {
    if (!method.equals("pruneRuns")) {
      return others.call(method, execute);
    }
    List<RunHistory> before = stored.latest();
    Future<?> done = execute.get();
    Set<String> left = new HashSet<>(stored.ids());
    before.stream().filter(history -> !left.contains(history.runId())).forEach(this::removed);
    return done;
  }

  @Override
  public <T> Consumer<T> pushes(Consumer<T> listener) {
    return listener;
  }

  /** Whether the run was pruned before the storage was told that its fire is done, which makes it anew then. */
  public boolean mayBeMadeAgain(String run) {
    return unsettled.contains(run);
  }

  private void removed(RunHistory history) {
    RunRecord run = history.stored();
    pruned.removeIf(before -> before.runId().equals(run.id()) && mayBeMadeAgain(run.id()));
    pruned.add(history);
    if (stored.isUnsettledFire(run)) {
      unsettled.add(run.id());
    }
    Instant latest = trueTime.get().plus(clocksDiffer);
    if (!run.status().isTerminal() || run.updatedAt().plus(kept).isAfter(latest)) {
      found.accept(new Violation(
          Rule.PRUNED, run.id(), "it is " + run.status().value() + " since " + run.updatedAt()));
    }
    IdempotencyTtl ttl = run.keys().idempotencyTtl();
    if (run.keys().idempotencyKey() != null
        && run.status() != RunStatus.FAILED
        && ttl != null
        && ttl.retention() != null
        && run.createdAt().plus(ttl.retention()).isAfter(latest)
        && !isReset.test(run)) {
      found.accept(new Violation(Rule.PRUNED, run.id(), "its idempotency key is still kept"));
    }
  }
}
