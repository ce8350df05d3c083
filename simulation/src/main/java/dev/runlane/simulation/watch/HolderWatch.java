package dev.runlane.simulation.watch;

import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.simulation.history.OutcomeAttempt;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.Line;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The line of one life of a process, which remembers what leases it was given over it: what an attempt came to is
 * stored of none but of those.
 */
public final class HolderWatch implements Line {
  private final Line line;
  private final Lifetime life;
  private final StoredRuns stored;
  private final Consumer<Violation> found;
  private final Set<String> tokens = new HashSet<>();

  /** @param line carries the calls */
  public HolderWatch(Line line, Lifetime life, StoredRuns stored, Consumer<Violation> found) {
    this.line = line;
    this.life = life;
    this.stored = stored;
    this.found = found;
  }

  @Override
  public Future<?> call(String method, Supplier<Future<?>> execute) {
    return call(method, null, execute);
  }

  @Override
  public Future<?> call(String method, @Nullable Object command, Supplier<Future<?>> execute) {
    return line.call(method, command, () -> carryOut(command, execute));
  }

  @Override
  public <T> Consumer<T> pushes(Consumer<T> listener) {
    return line.pushes(listener);
  }

  private Future<?> carryOut(@Nullable Object command, Supplier<Future<?>> execute) {
    if (command instanceof AppendRunEvents append && settles(append)) {
      RunRecord before = stored.run(append.runId());
      return execute.get().onSuccess(done -> check(append, before));
    }
    return execute.get().onSuccess(this::note);
  }

  private static boolean settles(AppendRunEvents append) {
    return append.expectedSequence() > 0
        && append.events().stream().anyMatch(event -> OutcomeAttempt.of(event).isPresent());
  }

  private void check(AppendRunEvents append, @Nullable RunRecord before) {
    Lease lease = before == null ? null : before.lease();
    Lease named = append.heldLease();
    if (lease == null
        || !tokens.contains(lease.token())
        || (named != null && !named.token().equals(lease.token()))) {
      found.accept(new Violation(
          Rule.HOLDER,
          append.runId(),
          life + " ends its attempt, which is leased " + (lease == null ? "by nobody" : lease)));
    }
  }

  private void note(@Nullable Object answer) {
    if (answer instanceof ClaimedRuns claimed) {
      claimed.runs().forEach(run -> note(run.events()));
    } else if (answer instanceof AppendedRun appended) {
      note(appended.events());
    } else if (answer instanceof Optional<?> one && one.isPresent()) {
      note(one.get());
    } else if (answer instanceof CommandOutcome.Succeeded<?> succeeded) {
      note(succeeded.result());
    } else if (answer instanceof List<?> all
        && !all.isEmpty()
        && all.get(0) instanceof CommandOutcome<?>) {
      all.forEach(this::note);
    }
  }

  private void note(List<RunEventRecord> events) {
    for (RunEventRecord row : events) {
      if (row.event() instanceof RunEvent.LeaseClaimed claimed) {
        tokens.add(claimed.lease().token());
      }
    }
  }
}
