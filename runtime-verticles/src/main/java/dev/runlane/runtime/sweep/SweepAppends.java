package dev.runlane.runtime.sweep;

import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.process.Failures;
import dev.runlane.runtime.process.LocalNotifications;
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
 * One event for each of many runs: one read for all, then all appends at once, each with a race of its own.
 * A lost race is skipped, since whoever won it has done the work or made it unnecessary.
 */
public final class SweepAppends {
  private static final Logger LOG = LoggerFactory.getLogger(SweepAppends.class);

  private final RuntimeContext context;
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
   * The candidates of a scan as they are now. Those that are gone are left out, and those that cannot be read, which
   * are logged.
   */
  public Future<List<RunRecord>> read(List<RunnableRunRef> candidates) {
    List<String> runIds = candidates.stream().map(RunnableRunRef::runId).toList();
    return runIds.isEmpty()
        ? Future.succeededFuture(List.of())
        : ReadableRuns.of(context, runIds).map(found -> {
          found
              .unreadable()
              .forEach((runId, failure) ->
                  unreadable.failed(failure, "run %s is left alone".formatted(runId)));
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
