package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** Storages that remove the wrong runs. */
final class BrokenPruning {
  private static final Instant MUCH_LATER = Instant.parse("2999-01-01T00:00:00Z");

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "prunes active runs",
          PruningActive::new,
          "Prune.active_runs_are_never_removed_however_old"),
      that(
          "prunes runs that retain their key",
          real -> new Rewriting(
              real,
              command -> with(
                  command, command.statuses(), command.olderThan(), MUCH_LATER, command.limit())),
          "Prune.a_run_whose_key_is_still_retained_is_passed_over"),
      that(
          "prunes runs younger than the cutoff",
          real -> new Rewriting(
              real,
              command ->
                  with(command, command.statuses(), MUCH_LATER, command.now(), command.limit())),
          "Prune.runs_last_updated_before_the_cutoff_are_removed_and_others_stay"),
      that(
          "prunes runs of any terminal status",
          real -> new Rewriting(
              real,
              command ->
                  with(command, Set.of(), command.olderThan(), command.now(), command.limit())),
          "Prune.only_the_named_statuses_and_environment_are_touched"),
      that(
          "ignores the limit of a prune",
          real -> new Rewriting(
              real,
              command ->
                  with(command, command.statuses(), command.olderThan(), command.now(), 1_000)),
          "Prune.each_call_removes_at_most_the_limit_and_the_cursor_leads_to_the_end"),
      that(
          "keeps the history of pruned runs",
          KeepingHistory::new,
          "Prune.the_events_and_outbox_messages_of_a_removed_run_go_with_it"),
      that(
          "gives no cursor while there is more to prune",
          Cursorless::new,
          "Prune.each_call_removes_at_most_the_limit_and_the_cursor_leads_to_the_end"),
      that(
          "prunes nothing",
          Idle::new,
          "Prune.runs_last_updated_before_the_cutoff_are_removed_and_others_stay"));

  private BrokenPruning() {}

  private static PruneRuns with(
      PruneRuns command, Set<RunStatus> statuses, Instant olderThan, Instant now, Integer limit) {
    return new PruneRuns(command.environment(), statuses, olderThan, now, limit, command.cursor());
  }

  private static final class Rewriting extends ForwardingStorage {
    private final UnaryOperator<PruneRuns> rewriting;

    Rewriting(StorageAdapter real, UnaryOperator<PruneRuns> rewriting) {
      super(real);
      this.rewriting = rewriting;
    }

    @Override
    public Future<PrunedRuns> pruneRuns(PruneRuns command) {
      return real.pruneRuns(rewriting.apply(command));
    }
  }

  /** Hides every old run once somebody has pruned. */
  private static final class PruningActive extends ForwardingStorage {
    private volatile Instant pruned = Instant.EPOCH;

    PruningActive(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<PrunedRuns> pruneRuns(PruneRuns command) {
      pruned = command.olderThan();
      return real.pruneRuns(command);
    }

    @Override
    public Future<Optional<RunRecord>> getRun(GetRun query) {
      return real.getRun(query).map(run -> run.filter(this::isKept));
    }

    @Override
    public Future<List<RunRecord>> getRuns(GetRuns query) {
      return real.getRuns(query).map(runs -> runs.stream().filter(this::isKept).toList());
    }

    private boolean isKept(RunRecord run) {
      return run.status().isTerminal() || !run.updatedAt().isBefore(pruned);
    }
  }

  /** Shows the last page of a history that it has seen, if there is none any more. */
  private static final class KeepingHistory extends ForwardingStorage {
    private final Map<String, Page<RunEventRecord>> seen = new ConcurrentHashMap<>();

    KeepingHistory(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<PrunedRuns> pruneRuns(PruneRuns command) {
      return real.listRunEvents(new ListRunEvents(
              command.environment(),
              new RunEventFilter(null, Set.of(), null, null),
              new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.ASC),
              200,
              null))
          .compose(page -> {
            page.data()
                .forEach(
                    row -> seen.put(row.event().header().runId(), new Page<>(List.of(row), null)));
            return real.pruneRuns(command);
          });
    }

    @Override
    public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
      String runId = query.filter().runId();
      return real.listRunEvents(query)
          .map(page ->
              runId != null && page.data().isEmpty() ? seen.getOrDefault(runId, page) : page);
    }
  }

  private static final class Cursorless extends ForwardingStorage {
    Cursorless(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<PrunedRuns> pruneRuns(PruneRuns command) {
      return real.pruneRuns(command).map(pruned -> new PrunedRuns(pruned.prunedRuns(), null));
    }
  }

  private static final class Idle extends ForwardingStorage {
    Idle(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<PrunedRuns> pruneRuns(PruneRuns command) {
      return Future.succeededFuture(new PrunedRuns(0, null));
    }
  }
}
