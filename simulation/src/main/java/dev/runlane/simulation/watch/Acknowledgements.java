package dev.runlane.simulation.watch;

import dev.runlane.run.RunRecord;
import dev.runlane.simulation.history.OutcomeAttempt;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.IgnoredReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Compares what a worker says of a wakeup with what is stored: from then on the wakeup does not come again. */
public final class Acknowledgements {
  private final StoredRuns stored;
  private final Supplier<Instant> trueTime;
  private final Consumer<Violation> found;
  private final List<Abandoned> abandoned = new ArrayList<>();

  public Acknowledgements(
      StoredRuns stored, Supplier<Instant> trueTime, Consumer<Violation> found) {
    this.stored = stored;
    this.trueTime = trueTime;
    this.found = found;
  }

  /** Attempts that were said to be given up since their lease was lost. */
  public List<Abandoned> abandoned() {
    return List.copyOf(abandoned);
  }

  public void check(DeliveryMessage message, DeliveryResult result) {
    RunRecord run = stored.run(message.runId());
    if (result instanceof DeliveryResult.Executed executed) {
      int attempt = executed.run().counters().attempts();
      if (run != null && !run.status().isTerminal() && !hasOutcome(run.id(), attempt)) {
        broken(run.id(), "attempt " + attempt + " is said to be made and has no outcome");
      }
    } else if (result instanceof DeliveryResult.Ignored ignored
        && ignored.reason() == IgnoredReason.ABANDONED) {
      abandoned.add(new Abandoned(message.runId(), trueTime.get()));
    } else if (result instanceof DeliveryResult.Ignored ignored && run != null) {
      if (ignored.reason() == IgnoredReason.NOT_FOUND) {
        broken(run.id(), "it is said not to be there");
      } else if (ignored.reason() == IgnoredReason.TERMINAL && !run.status().isTerminal()) {
        broken(run.id(), "it is said to have ended, and is " + run.status().value());
      }
    }
  }

  private boolean hasOutcome(String runId, int attempt) {
    return stored.history(runId).stream()
        .map(row -> OutcomeAttempt.of(row.event()))
        .anyMatch(outcome -> outcome.isPresent() && outcome.getAsInt() == attempt);
  }

  /** A worker has given up its attempt of a run, and said so at an instant of true time. */
  public record Abandoned(String run, Instant at) {}

  private void broken(String runId, String what) {
    found.accept(new Violation(Rule.ACKNOWLEDGED, runId, "its wakeup is acknowledged: " + what));
  }
}
