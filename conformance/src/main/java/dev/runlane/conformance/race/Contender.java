package dev.runlane.conformance.race;

import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.model.AppendAll;
import dev.runlane.conformance.race.order.Played;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.step.RetryStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One of the commands that are raced, with its answer. A batch of appends is as many commands: each succeeds or
 * fails on its own, and only those of one run or one key keep their order.
 */
record Contender(String name, Played played, List<Part> parts) {
  static Contender of(String name, Played played) {
    List<Part> parts = new ArrayList<>();
    if (played.step().command() instanceof AppendAll batch
        && played.answer() instanceof List<?> outcomes
        && outcomes.size() == batch.commands().size()) {
      for (int i = 0; i < outcomes.size(); i++) {
        Step step = new Step(played.step().number() + 1 + i, batch.commands().get(i));
        parts.add(new Part(name, name + (i + 1), i, new Played(step, answerIn((CommandOutcome<?>)
            outcomes.get(i)))));
      }
    } else {
      parts.add(new Part(name, name, 0, played));
    }
    return new Contender(name, played, parts);
  }

  private static Object answerIn(CommandOutcome<?> outcome) {
    return outcome instanceof CommandOutcome.Succeeded<?> succeeded
        ? Objects.requireNonNull(succeeded.result())
        : ((CommandOutcome.Failed<?>) outcome).failure();
  }

  boolean has(Part part) {
    return parts.contains(part);
  }

  /**
   * Whether claims may find the run held by this command, and pass over it: it names the run, takes a slot of the run's
   * partition, or looks for runs itself.
   */
  boolean mayHold(RunRecord run) {
    return parts.stream().anyMatch(part -> mayHold(part.played().step().command(), run));
  }

  /** Whether the run's reservation has ended by the clock of this command, which gives its slot to another. */
  boolean hasLapsed(RunRecord run) {
    DispatchReservation reservation = run.reservation();
    return reservation != null
        && parts.stream()
            .flatMap(part -> nowOf(part.played().step().command()).stream())
            .anyMatch(reservation::isExpiredAt);
  }

  /** When a command is given that takes slots. */
  static Optional<Instant> nowOf(Object command) {
    return Optional.ofNullable(
        command instanceof AppendRunEvents append
            ? append.now()
            : command instanceof ClaimRunLease claim
                ? claim.now()
                : command instanceof ReserveRunDispatch reserve
                    ? reserve.now()
                    : command instanceof ClaimRuns claims ? claims.now() : null);
  }

  /** The run that a command is about, where it is one. */
  static Optional<Object> runNamed(Object command) {
    return Optional.ofNullable(
        command instanceof AppendRunEvents append
            ? append.runId()
            : command instanceof ClaimRunLease claim
                ? claim.runId()
                : command instanceof ReserveRunDispatch reserve
                    ? reserve.runId()
                    : command instanceof HeartbeatRunLease beat ? beat.runId() : null);
  }

  private static boolean mayHold(Object command, RunRecord run) {
    if (command instanceof AppendRunEvents append) {
      return isOrCrowds(append.projectedRun(), run);
    }
    if (command instanceof ClaimRunLease claim) {
      return isOrCrowds(claim.projectedRun(), run);
    }
    if (command instanceof ReserveRunDispatch reserve) {
      return isOrCrowds(reserve.projectedRun(), run);
    }
    if (command instanceof HeartbeatRunLease beat) {
      return beat.runId().equals(run.id());
    }
    if (command instanceof ReleaseRunLease release) {
      return release.runId().equals(run.id());
    }
    if (command instanceof RetryStep retry) {
      return retry.runId().equals(run.id());
    }
    return !(command instanceof ClaimScheduleOccurrence
        || command instanceof CompleteScheduleOccurrence
        || command instanceof PublishQueues);
  }

  private static boolean isOrCrowds(RunRecord one, RunRecord other) {
    return one.id().equals(other.id())
        || (one.queue().equals(other.queue()) && one.queue().equals(RaceDraw.NARROW));
  }

  /**
   * What is done at one instant.
   *
   * @param contender whose it is
   * @param name what people call it
   * @param index its place in its command
   * @param played the command and its answer
   */
  record Part(String contender, String name, int index, Played played) {
    boolean mustPrecede(Part other) {
      return contender.equals(other.contender)
          && index < other.index
          && played.step().command() instanceof AppendRunEvents one
          && other.played.step().command() instanceof AppendRunEvents two
          && areRelated(one, two);
    }

    private static boolean areRelated(AppendRunEvents one, AppendRunEvents other) {
      RunKeys keys = one.projectedRun().keys();
      RunKeys others = other.projectedRun().keys();
      return one.runId().equals(other.runId())
          || isSame(keys.idempotencyKey(), others.idempotencyKey())
          || isSame(keys.singletonKey(), others.singletonKey())
          || (takesLease(one) && takesLease(other));
    }

    private static boolean takesLease(AppendRunEvents command) {
      return command.events().stream().anyMatch(RunEvent.LeaseClaimed.class::isInstance);
    }

    private static boolean isSame(@Nullable String key, @Nullable String other) {
      return key != null && key.equals(other);
    }
  }
}
