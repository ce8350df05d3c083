package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Race;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.run.PartitionKey;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.PrunedRuns;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.GetScheduleOccurrence;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Storages that look in one turn and write in another, as one does that asks a server twice. Alone each of their
 * commands is answered rightly: only a race shows what they do wrong.
 */
final class RacyFaults {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that("counts the slots of a queue before it claims one", CountsBeforeClaim::new),
      that("counts the slots of a queue before it reserves one", CountsBeforeReservation::new),
      that("counts the slots of a queue before it stores a first lease", CountsBeforeBirth::new),
      that("reads the sequence of a run before it appends", ReadsBeforeAppend::new),
      that("looks for the owner of a key before it creates a run", LooksForOwner::new),
      that("looks whether a run is free before it claims it", LooksBeforeClaim::new),
      that("looks for a lease before it renews it", LooksBeforeHeartbeat::new),
      that("gives publishers that ask at once the same messages", SharedMessages::new),
      that("gives workers that ask at once the same runs", SharedRuns::new),
      that("gives callers that ask at once the same occurrence", SharedOccurrence::new),
      that("looks whether an occurrence is open before it completes it", LooksBeforeEnd::new),
      that("counts runs that another prune removes as its own", SharedPrune::new));

  private RacyFaults() {}

  /** Goes on when the other contenders have been started too; at once where there is no race. */
  private static <T> Future<T> later(Supplier<Future<T>> then) {
    return Race.allStarted().compose(ready -> then.get());
  }

  private static QueuePolicy wide(QueuePolicy policy) {
    return policy.isBounded() ? QueuePolicy.bounded(policy.queue(), Integer.MAX_VALUE) : policy;
  }

  private static boolean isConflict(Throwable failure, StorageConflictKind kind) {
    return failure instanceof RunlaneException ours
        && ours.conflictKind().filter(kind::equals).isPresent();
  }

  /** What a storage would answer that did not notice that it lost. */
  private static AppendedRun asIfStored(RunRecord projected, List<? extends RunEvent> events) {
    List<RunEventRecord> rows = new ArrayList<>();
    for (RunEvent event : events) {
      long sequence = projected.eventSequence() - events.size() + rows.size() + 1;
      rows.add(new RunEventRecord(String.valueOf(1_000_000 + sequence), sequence, event));
    }
    return new AppendedRun(projected, rows, List.of());
  }

  private static class Counting extends ForwardingStorage {
    Counting(StorageAdapter real) {
      super(real);
    }

    /** Whether a run may have a slot as things stand now. */
    Future<Boolean> isFree(RunRecord run, QueuePolicy policy, Instant now) {
      if (policy.concurrencyLimit() == null) {
        return Future.succeededFuture(true);
      }
      RunFilter queue = RunFilter.ALL.withQueues(List.of(run.queue()));
      return real.listRuns(new ListRuns(run.environment(), queue, RunSort.NEWEST_FIRST, 200, null))
          .compose(page -> real.getRuns(new GetRuns(
              run.environment(), page.data().stream().map(RunSummary::id).toList())))
          .map(runs -> runs.stream().anyMatch(each -> isIt(each, run, now))
              || runs.stream()
                      .filter(each -> PartitionKey.of(each).equals(PartitionKey.of(run)))
                      .filter(each -> each.occupiesSlotAt(now))
                      .count()
                  < policy.concurrencyLimit());
    }

    private static boolean isIt(RunRecord each, RunRecord run, Instant now) {
      return each.id().equals(run.id()) && each.occupiesSlotAt(now);
    }
  }

  private static final class CountsBeforeClaim extends Counting {
    CountsBeforeClaim(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      return isFree(command.projectedRun(), command.queuePolicy(), command.now())
          .compose(free -> free
              ? later(() -> real.claimRunLease(new ClaimRunLease(
                  command.environment(),
                  command.runId(),
                  command.expectedSequence(),
                  command.events(),
                  command.projectedRun(),
                  wide(command.queuePolicy()),
                  command.now())))
              : real.claimRunLease(command));
    }
  }

  private static final class CountsBeforeReservation extends Counting {
    CountsBeforeReservation(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
      return isFree(command.projectedRun(), command.queuePolicy(), command.now())
          .compose(free -> free
              ? later(() -> real.reserveRunDispatch(new ReserveRunDispatch(
                  command.environment(),
                  command.runId(),
                  command.expectedSequence(),
                  command.event(),
                  command.projectedRun(),
                  wide(command.queuePolicy()),
                  command.now())))
              : real.reserveRunDispatch(command));
    }
  }

  private static final class CountsBeforeBirth extends Counting {
    CountsBeforeBirth(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      QueuePolicy policy = command.queuePolicy();
      return policy == null || command.expectedSequence() != 0
          ? real.appendRunEvents(command)
          : isFree(command.projectedRun(), policy, command.now())
              .compose(free -> free
                  ? later(() -> real.appendRunEvents(command.in(wide(policy))))
                  : real.appendRunEvents(command));
    }
  }

  private static final class ReadsBeforeAppend extends ForwardingStorage {
    ReadsBeforeAppend(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      GetRun query = new GetRun(command.environment(), command.runId());
      return real.getRun(query)
          .compose(before -> before
                  .filter(run -> run.eventSequence() == command.expectedSequence())
                  .isEmpty()
              ? real.appendRunEvents(command)
              : later(() -> real.getRun(query).compose(now -> onto(now.orElseThrow(), command))));
    }

    private Future<AppendedRun> onto(RunRecord run, AppendRunEvents command) {
      if (run.eventSequence() == command.expectedSequence()) {
        return real.appendRunEvents(command);
      }
      RunRecord after = RunReducer.projectRunEvents(run, run.eventSequence(), command.events());
      return real.appendRunEvents(AppendRunEvents.of(after, command.events(), command.now()));
    }
  }

  private static final class LooksForOwner extends ForwardingStorage {
    LooksForOwner(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      String key = command.projectedRun().keys().idempotencyKey();
      if (key == null || command.expectedSequence() != 0) {
        return real.appendRunEvents(command);
      }
      return real.getRunByIdempotencyKey(new GetRunByIdempotencyKey(
              command.environment(), command.projectedRun().taskId(), key, command.now()))
          .compose(owner -> owner.isPresent()
              ? real.appendRunEvents(command)
              : later(() -> real.appendRunEvents(command))
                  .recover(failure -> Future.failedFuture(
                      isConflict(failure, StorageConflictKind.IDEMPOTENCY_KEY)
                          ? RunlaneException.conflict(
                              StorageConflictKind.IDEMPOTENCY_KEY, "some run has the key")
                          : failure)));
    }
  }

  private static final class LooksBeforeClaim extends ForwardingStorage {
    LooksBeforeClaim(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      return real.getRun(new GetRun(command.environment(), command.runId()))
          .compose(run -> later(() -> real.claimRunLease(command))
              .compose(claimed -> claimed.isPresent()
                  ? Future.succeededFuture(claimed)
                  : real.getRun(new GetRun(command.environment(), command.runId()))
                      .map(now -> now.equals(run)
                          ? claimed
                          : Optional.of(asIfStored(command.projectedRun(), command.events())))));
    }
  }

  private static final class LooksBeforeHeartbeat extends ForwardingStorage {
    LooksBeforeHeartbeat(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> heartbeatRunLease(HeartbeatRunLease command) {
      return real.getRun(new GetRun(command.environment(), command.runId())).compose(run -> later(
              () -> real.heartbeatRunLease(command))
          .recover(failure -> run.filter(each -> each.eventSequence() == command.expectedSequence()
                      && each.lease() != null
                      && each.lease().token().equals(command.event().lease().token()))
                  .isPresent()
              ? Future.succeededFuture(asIfStored(command.projectedRun(), List.of(command.event())))
              : Future.failedFuture(failure)));
    }
  }

  private static final class LooksBeforeEnd extends ForwardingStorage {
    LooksBeforeEnd(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> completeScheduleOccurrence(CompleteScheduleOccurrence command) {
      GetScheduleOccurrence query =
          new GetScheduleOccurrence(command.environment(), command.occurrenceId());
      return real.schedules().orElseThrow().getScheduleOccurrence(query).compose(found -> later(
              () -> real.completeScheduleOccurrence(command))
          .recover(failure -> found.filter(each -> !each.completed()).isPresent()
              ? Future.succeededFuture()
              : Future.failedFuture(failure)));
    }
  }

  /** Answers of commands that are under way, which it gives to whoever asks for the same meanwhile. */
  private static final class Shared<T> {
    private final Map<String, Future<T>> underWay = new ConcurrentHashMap<>();

    Future<T> of(String what, Supplier<Future<T>> asking) {
      return Vertx.currentContext() == null
          ? asking.get()
          : underWay.computeIfAbsent(what, asked -> {
            Future<T> answer = later(asking);
            answer.onComplete(ended -> underWay.remove(what, answer));
            return answer;
          });
    }
  }

  private static final class SharedMessages extends ForwardingStorage {
    private final Shared<List<ClaimedOutboxMessage>> shared = new Shared<>();

    SharedMessages(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      return shared.of(command.environment().name(), () -> real.claimOutboxMessages(command));
    }
  }

  private static final class SharedRuns extends ForwardingStorage {
    private final Shared<ClaimedRuns> shared = new Shared<>();

    SharedRuns(StorageAdapter real) {
      super(real);
    }

    @Override
    public Optional<BatchStorage> batch() {
      BatchStorage batch = real.batch().orElseThrow();
      return Optional.of(new BatchStorage() {
        @Override
        public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
          return batch.appendAll(commands);
        }

        @Override
        public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
          return shared.of(command.environment().name(), () -> batch.claimRuns(command));
        }
      });
    }
  }

  private static final class SharedOccurrence extends ForwardingStorage {
    private final Shared<Optional<ClaimedOccurrence>> shared = new Shared<>();

    SharedOccurrence(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
        ClaimScheduleOccurrence command) {
      return shared.of(command.environment().name(), () -> real.claimScheduleOccurrence(command));
    }
  }

  private static final class SharedPrune extends ForwardingStorage {
    private final Shared<PrunedRuns> shared = new Shared<>();

    SharedPrune(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<PrunedRuns> pruneRuns(PruneRuns command) {
      return shared.of(command.environment().name(), () -> real.pruneRuns(command));
    }
  }
}
