package dev.runlane.console.run;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.FutureLoop;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One action on each run of a filter, one run after the other, oldest first. Where the storage does not answer, it
 * tries the same run again for {@link #PATIENCE} and then ends, so that an outage leaves the rest of the runs as they
 * are. Belongs to the console's context.
 */
final class BulkAction {
  /** For how long one run, or the next page of them, is tried again in an outage = 1 min. */
  static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Backoff PAUSES =
      Backoff.exponential(Duration.ofMillis(250), Duration.ofSeconds(5));

  private final String id;
  private final BulkKind kind;
  private final BulkRuns wanted;
  private final ObjectNode given;
  private final RunActionOptions options;
  private final String actor;
  private final int limit;
  private final Instant startedAt;
  private final TreeMap<String, Integer> failures = new TreeMap<>();

  /** Runs that it made which the filter takes all the same: this clock is ahead of the one that stamps runs. */
  private final Set<String> own = new HashSet<>();

  private int done;
  private int passedOver; // an earlier action made its run
  private int failed;
  private final AtomicReference<State> state =
      new AtomicReference<>(State.RUNNING); // a console that closes cancels on any thread
  private boolean hasLeft; // runs that it has not come to, as far as it knows

  /** When the next run was created; null where none is left, or none was listed yet. */
  private @Nullable Instant reached;

  /** When the first of {@link #own} was created. */
  private @Nullable Instant leftBefore;

  private @Nullable Instant endedAt;
  private Future<Void> kept = Future.succeededFuture();

  /** {@code given} is the filter as the caller has it, which another action goes on with. */
  BulkAction(
      String id,
      BulkKind kind,
      BulkRuns wanted,
      ObjectNode given,
      RunActionOptions options,
      String actor,
      int limit,
      Instant now) {
    this.id = id;
    this.kind = kind;
    this.wanted = wanted;
    this.given = given;
    this.options = options;
    this.actor = actor;
    this.limit = limit;
    hasLeft = limit > 0;
    startedAt = now;
  }

  String id() {
    return id;
  }

  /** As it was given, but without runs that it made. */
  ObjectNode given() {
    return given;
  }

  Actor by() {
    return options.getActor();
  }

  /** Whether it has ended and left none of its runs. */
  boolean isWhole() {
    return isOver() && !hasLeft;
  }

  /** Keeps it somewhere behind what was kept before; fails as that keeping does. */
  Future<Void> inTurn(Supplier<Future<Void>> keeping) {
    Future<Void> turn = kept.transform((before, failure) -> keeping.get());
    kept = turn;
    return turn;
  }

  boolean isOver() {
    return endedAt != null;
  }

  /** Stops before the next run; what was done stays. */
  void cancel() {
    state.compareAndSet(State.RUNNING, State.CANCELLED);
  }

  /** Completes or fails with what is kept of it in the log of actions. */
  Future<String> work(Runs runs, Ids ids, Timers timers) {
    Walk walk = new Walk(runs, ids, timers);
    Future<Void> walked = limit == 0 ? Future.succeededFuture() : FutureLoop.pages(walk::page);
    return walked
        .map(over -> {
          end(State.DONE);
          return told();
        })
        .recover(failure -> {
          end(State.FAILED);
          return Future.failedFuture(
              failure instanceof RunlaneException own
                  ? RunlaneException.of(
                          own.code(), "%s: %s", told(), String.valueOf(own.getMessage()))
                      .causedBy(own)
                  : failure);
        });
  }

  void ended(boolean isWhole, Instant now) {
    endedAt = now;
    end(isWhole ? State.DONE : State.FAILED);
  }

  private State state() {
    return Objects.requireNonNull(state.get());
  }

  private void end(State how) {
    state.compareAndSet(State.RUNNING, how);
  }

  private String told() {
    return done + " done, " + (passedOver == 0 ? "" : passedOver + " passed over, ") + failed
        + " failed, " + state().value
        + (reached == null ? "" : "; createdFrom " + reached + " goes on");
  }

  private void count(Throwable failure) {
    failed++;
    failures.merge(
        failure instanceof RunlaneException own ? own.code().value() : "internal_error",
        1,
        Integer::sum);
  }

  /** Keeps this action, and one that goes on with its filter, from a run that it made. */
  private void leaveOut(@Nullable Object acted) {
    Instant before = wanted.filter().createdBefore();
    if (acted instanceof TriggerResult result
        && result.outcome() != TriggerOutcome.IDEMPOTENT_EXISTING
        && before != null
        && result.run().createdAt().isBefore(before)) {
      own.add(result.run().id());
      Instant madeAt = result.run().createdAt();
      if (leftBefore == null || madeAt.isBefore(leftBefore)) {
        leftBefore = madeAt;
        given.put("createdBefore", madeAt.toString());
      }
    }
  }

  /** Whether an earlier action made the run. */
  private static boolean isOfBefore(@Nullable Object acted) {
    return acted instanceof TriggerResult result
        && result.outcome() == TriggerOutcome.IDEMPOTENT_EXISTING;
  }

  private boolean isEnough() {
    return state() != State.RUNNING || done + failed >= limit;
  }

  ObjectNode body() {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", id);
    body.put("action", kind.value());
    body.put("actor", actor);
    body.put("reason", options.getReason().orElse(""));
    body.put("state", state().value);
    body.put("isHere", true);
    body.put("limit", limit);
    body.put("done", done);
    body.put("passedOver", passedOver);
    body.put("failed", failed);
    ObjectNode codes = body.putObject("failures");
    failures.forEach(codes::put);
    body.put("hasLeft", hasLeft);
    if (reached != null) {
      body.put("reachedCreatedAt", reached.toString());
    }
    body.put("startedAt", startedAt.toString());
    if (endedAt != null) {
      body.put("endedAt", endedAt.toString());
    }
    return body;
  }

  private static boolean isOutage(@Nullable Throwable failure) {
    return failure instanceof RunlaneException own
        && own.isRetryable()
        && (own.code() == ErrorCode.STORAGE_UNAVAILABLE
            || own.code() == ErrorCode.TRANSPORT_UNAVAILABLE);
  }

  /** Goes from run to run. */
  private final class Walk {
    private final Runs runs;
    private final Ids ids;
    private final Timers timers;
    private int outages; // calls that were made again

    Walk(Runs runs, Ids ids, Timers timers) {
      this.runs = runs;
      this.ids = ids;
      this.timers = timers;
    }

    /** Acts on the runs of a page; completes with the cursor of the next one, or null where none is to follow. */
    Future<@Nullable String> page(@Nullable String cursor) {
      if (cursor != null && state() != State.RUNNING) { // stopped among runs that are not meant
        return Future.succeededFuture();
      }
      return patiently(() -> wanted.page(runs, cursor))
          .compose(page -> each(meant(page)).map(isStopped -> {
            if (!isStopped && page.nextCursor() == null) {
              reached = null;
              hasLeft = false;
            }
            return isStopped ? null : page.nextCursor();
          }));
    }

    private Iterator<RunSummary> meant(Page<RunSummary> page) {
      return page.data().stream()
          .filter(wanted::fits)
          .filter(run -> !own.contains(run.id()))
          .iterator();
    }

    /** Whether it stopped before one of these. */
    private Future<Boolean> each(Iterator<RunSummary> rest) {
      if (!rest.hasNext()) {
        return Future.succeededFuture(false);
      }
      RunSummary run = rest.next();
      reached = run.createdAt();
      if (isEnough()) {
        return Future.succeededFuture(true);
      }
      RunActionOptions once = new RunActionOptions(options).setNewRunId(ids.runId());
      int before = outages; // behind one, what is found may be what this action made
      return patiently(() -> kind.act(runs, run.id(), once)).transform((acted, failure) -> {
        leaveOut(acted);
        if (failure == null && isOfBefore(acted) && outages == before) {
          passedOver++;
        } else if (failure == null) {
          done++;
        } else {
          count(failure);
        }
        if (isOutage(failure)) {
          return Future.failedFuture(failure);
        }
        reached = run.createdAt().plus(1, ChronoUnit.MICROS); // as fine as instants are stored
        return each(rest);
      });
    }

    private <T> Future<T> patiently(Supplier<Future<T>> call) {
      return patiently(call, timers.elapsed().plus(PATIENCE), 1);
    }

    private <T> Future<T> patiently(Supplier<Future<T>> call, Duration until, int tries) {
      return call.get().recover(failure -> {
        if (!isOutage(failure)
            || state() != State.RUNNING
            || timers.elapsed().compareTo(until) >= 0) {
          return Future.failedFuture(failure);
        }
        outages++;
        return timers
            .after(PAUSES.delay(tries, Randomness.system()))
            .compose(over -> patiently(call, until, tries + 1));
      });
    }
  }

  /** Where it is. */
  private enum State {
    RUNNING("running"),
    DONE("done"),
    CANCELLED("cancelled"),
    FAILED("failed");

    private final String value;

    State(String value) {
      this.value = value;
    }
  }
}
