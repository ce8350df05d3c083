package dev.runlane.simulation.watch;

import dev.runlane.run.Environment;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.OutboxMessageState;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import dev.runlane.storage.step.ListPendingSteps;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is stored, read past the network: as the checker sees it. */
public final class StoredRuns {
  private static final int PAGE = 200;
  private static final RunFilter ACTIVE = RunFilter.ALL.withStatuses(EnumSet.of(
      RunStatus.QUEUED,
      RunStatus.SCHEDULED,
      RunStatus.RUNNING,
      RunStatus.RETRYING,
      RunStatus.RELEASED,
      RunStatus.CANCELLATION_REQUESTED));

  private final Environment environment;
  private final StorageAdapter storage;
  private final Map<String, RunHistory> known = new HashMap<>(); // those that were read last

  /** Reads from a storage whose futures are complete when they are returned. */
  public StoredRuns(Environment environment, StorageAdapter storage) {
    this.environment = environment;
    this.storage = storage;
  }

  /** Every run, in the order of ids. */
  public List<RunHistory> all() {
    List<RunHistory> all = new ArrayList<>();
    for (RunRecord run : records()) {
      all.add(new RunHistory(run, history(run.id())));
    }
    return all;
  }

  /** What is known of each, without its events. */
  public List<RunRecord> records() {
    return now(storage.getRuns(new GetRuns(environment, ids())));
  }

  /** The same as all of them, of which only those are read that have changed since the last call. */
  public List<RunHistory> latest() {
    List<RunHistory> all = new ArrayList<>();
    for (RunRecord run : records()) {
      all.add(known(run));
    }
    return all;
  }

  private RunHistory known(RunRecord run) {
    RunHistory before = known.get(run.id());
    if (before != null && before.stored().equals(run)) {
      return before;
    }
    RunHistory read = new RunHistory(run, history(run.id()));
    known.put(run.id(), read);
    return read;
  }

  /** Messages of the outbox that were neither published nor given up. */
  public List<OutboxMessageState> unsettled() {
    return ids().stream()
        .flatMap(id -> outbox(id).stream())
        .filter(message -> message.status() != OutboxMessageStatus.PUBLISHED
            && message.status() != OutboxMessageStatus.DEAD_LETTERED)
        .toList();
  }

  /** Whether nobody has marked or claimed the message since that claim. */
  public boolean isClaimed(ClaimedOutboxMessage claim) {
    return outbox(claim.message().runId()).stream()
        .anyMatch(message -> message.id().equals(claim.id())
            && message.status() == OutboxMessageStatus.CLAIMED
            && claim.claimExpiresAt().equals(message.claimExpiresAt()));
  }

  /** Whether nobody has completed or claimed the occurrence since that claim. */
  public boolean isClaimed(ClaimedOccurrence claim) {
    return now(storage
            .schedules()
            .orElseThrow()
            .getScheduleOccurrence(new GetScheduleOccurrence(environment, claim.occurrenceId())))
        .filter(occurrence ->
            !occurrence.completed() && occurrence.claimExpiresAt().equals(claim.claimExpiresAt()))
        .isPresent();
  }

  /** Whether the run is of a fire that nobody has said to be done. */
  public boolean isUnsettledFire(RunRecord run) {
    String occurrence = run.source().occurrenceId();
    return occurrence != null
        && now(storage
                .schedules()
                .orElseThrow()
                .getScheduleOccurrence(new GetScheduleOccurrence(environment, occurrence)))
            .filter(found -> !found.completed())
            .isPresent();
  }

  /** How many remote steps have no result yet, or are still to be taken away. */
  public int pendingSteps() {
    return ids().stream()
        .mapToInt(id -> now(storage
                .steps()
                .orElseThrow()
                .listPendingSteps(new ListPendingSteps(environment, id, null)))
            .size())
        .sum();
  }

  /** Runs that have ended, in the order of ids. */
  public List<RunRecord> ended() {
    return records().stream().filter(run -> run.status().isTerminal()).toList();
  }

  /** The ids of all runs, in order. */
  public List<String> ids() {
    return list(RunFilter.ALL).stream().map(RunSummary::id).sorted().toList();
  }

  /** Runs that have not ended. */
  public List<RunSummary> active() {
    return list(ACTIVE);
  }

  /** The same, with all that is known of each. */
  public List<RunRecord> unended() {
    return now(storage.getRuns(
        new GetRuns(environment, active().stream().map(RunSummary::id).toList())));
  }

  private List<RunSummary> list(RunFilter filter) {
    List<RunSummary> all = new ArrayList<>();
    String cursor = null;
    do {
      Page<RunSummary> page = now(
          storage.listRuns(new ListRuns(environment, filter, RunSort.NEWEST_FIRST, PAGE, cursor)));
      all.addAll(page.data());
      cursor = page.nextCursor();
    } while (cursor != null);
    return all;
  }

  /** The run, or null where there is none. */
  public @Nullable RunRecord run(String id) {
    return now(storage.getRun(new GetRun(environment, id))).orElse(null);
  }

  /** The events of a run, in order. */
  public List<RunEventRecord> history(String runId) {
    List<RunEventRecord> events = new ArrayList<>();
    String cursor = null;
    do {
      Page<RunEventRecord> page = now(storage.listRunEvents(new ListRunEvents(
          environment, RunEventFilter.ofRun(runId), RunEventSort.HISTORY, PAGE, cursor)));
      events.addAll(page.data());
      cursor = page.nextCursor();
    } while (cursor != null);
    return events;
  }

  /** The outbox messages of a run. */
  public List<OutboxMessageState> outbox(String runId) {
    return now(storage.outbox().orElseThrow().outboxMessagesOf(new GetRun(environment, runId)));
  }

  private static <T> T now(Future<T> future) {
    if (!future.succeeded()) {
      throw new IllegalStateException("the storage did not answer at once", future.cause());
    }
    return future.result();
  }
}
