package dev.runlane.runtime.sweep;

import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.process.Failures;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.ReadSize;
import dev.runlane.runtime.process.ReadableRuns;
import dev.runlane.runtime.process.RunAppends;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.timing.FailureLog;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One event for each of many runs: one read for all, or where their payloads are large for a few at a time, then all
 * appends at once, each with a race of its own. A lost race is skipped, since whoever won it has done the work or made
 * it unnecessary.
 */
public final class SweepAppends {
  private static final Logger LOG = LoggerFactory.getLogger(SweepAppends.class);

  private static final int MOST_RUNS = 10_000; // of one read

  private final RuntimeContext context;
  private final ReadSize size = new ReadSize(MOST_RUNS);
  private final FailureLog unreadable;

  /** The appends of one runtime. */
  public SweepAppends(RuntimeContext context) {
    this.context = context;
    unreadable = new FailureLog(LOG, "reading runs of a sweep", context.timers());
  }

  /**
   * The header of an event that a sweep of {@code now} writes. The instant by which a run was found due is the
   * one the event carries, so that a clock that goes back meanwhile makes nothing impossible.
   */
  public static EventHeader header(RunRecord run, Instant now) {
    return EventHeader.bySystem(
        run.environment(), run.id(), now.isBefore(run.updatedAt()) ? run.updatedAt() : now);
  }

  /**
   * Does {@code work} with the candidates of a scan as they are now, so many at a time that their payloads are not too
   * large. Those that are gone are left out, and those that cannot be read, which are logged. What fails with some does
   * not keep the others back, but fails the future in the end.
   *
   * @param work answers how many it brought forward
   * @return how many those were
   */
  public Future<Integer> withEach(
      List<RunnableRunRef> candidates, Function<List<RunRecord>, Future<Integer>> work) {
    return withEach(
        candidates.stream().map(RunnableRunRef::runId).toList(), work, 0, new ArrayList<>());
  }

  private Future<Integer> withEach(
      List<String> runIds,
      Function<List<RunRecord>, Future<Integer>> work,
      int before,
      List<Throwable> failures) {
    if (runIds.isEmpty()) {
      return failures.isEmpty()
          ? Future.succeededFuture(before)
          : Future.failedFuture(Failures.first(failures));
    }
    int now = Math.min(runIds.size(), size.runs());
    return read(runIds.subList(0, now))
        .compose(runs -> work.apply(runs).transform((done, failure) -> {
          if (failure != null) {
            addAlong(failures, failure);
          }
          return withEach(
              runIds.subList(now, runIds.size()),
              work,
              failure == null ? before + done : before,
              failures);
        }));
  }

  /** What a later failure has along is along with the first one too. */
  private static void addAlong(List<Throwable> failures, Throwable failure) {
    boolean later = !failures.isEmpty();
    failures.add(failure);
    if (later) {
      failures.addAll(List.of(failure.getSuppressed()));
    }
  }

  private Future<List<RunRecord>> read(List<String> runIds) {
    return ReadableRuns.of(context, runIds).map(found -> {
      found
          .unreadable()
          .forEach((runId, failure) ->
              unreadable.failed(failure, "run %s is left alone".formatted(runId)));
      size.learn(found.runs().values());
      return List.copyOf(found.runs().values());
    });
  }

  /**
   * Appends what {@code decide} answers for each run; empty leaves the run alone. Runs whose append fails
   * otherwise than by a lost race do not keep the others back, but fail the future in the end.
   *
   * @param afterwards is notified of each run that was brought forward
   * @return how many those were
   */
  public Future<Integer> append(
      List<RunRecord> runs,
      Function<RunRecord, Optional<RunEvent>> decide,
      Consumer<RunRecord> afterwards) {
    List<RunlaneException> failures = new ArrayList<>();
    List<AppendRunEvents> commands = new ArrayList<>();
    for (RunRecord run : runs) {
      try {
        decide.apply(run).map(event -> command(run, event)).ifPresent(commands::add);
      } catch (RunlaneException impossible) {
        failures.add(impossible);
      }
    }
    return appendAll(commands).compose(outcomes -> {
      int done = 0;
      for (int index = 0; index < outcomes.size(); index++) {
        AppendRunEvents command = commands.get(index);
        if (outcomes.get(index) instanceof CommandOutcome.Failed<AppendedRun> failed) {
          countUnlessLost(failures, command, failed.failure());
        } else {
          context
              .notifications()
              .committed(
                  command.projectedRun(),
                  command.events(),
                  LocalNotifications.OutboxRows.LEFT_TO_PUBLISHER);
          afterwards.accept(command.projectedRun());
          done++;
        }
      }
      return failures.isEmpty()
          ? Future.succeededFuture(done)
          : Future.failedFuture(Failures.first(failures));
    });
  }

  private AppendRunEvents command(RunRecord run, RunEvent event) {
    List<RunEvent> events = List.of(event);
    return AppendRunEvents.of(
        RunAppends.project(run, events), events, context.clock().now());
  }

  private Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
    if (commands.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    if (context.batch().isPresent()) {
      return context.batch().get().appendAll(commands);
    }
    List<Future<CommandOutcome<AppendedRun>>> outcomes =
        commands.stream().map(this::append).toList();
    return Future.join(outcomes).map(all -> all.list());
  }

  /** Never fails. */
  private Future<CommandOutcome<AppendedRun>> append(AppendRunEvents command) {
    return context
        .storage()
        .appendRunEvents(command)
        .<CommandOutcome<AppendedRun>>map(CommandOutcome.Succeeded::new)
        .otherwise(failure -> new CommandOutcome.Failed<>(
            Failures.runlane("appending to run " + command.runId(), failure)));
  }

  private static void countUnlessLost(
      List<RunlaneException> failures, AppendRunEvents command, RunlaneException failure) {
    if (failure.isConflict(StorageConflictKind.EVENT_SEQUENCE)) {
      LOG.debug("run {} moved on by itself: {}", command.runId(), failure.getMessage());
    } else {
      failures.add(failure);
    }
  }
}
