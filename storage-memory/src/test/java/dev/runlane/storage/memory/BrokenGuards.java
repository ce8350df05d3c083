package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.operator.OperatorStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.OutboxView;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.schedule.ScheduleStorage;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Storages that do not refuse what they do not report. */
final class BrokenGuards {
  private static final String EACH =
      "CapabilityGuard.without_a_capability_all_it_guards_is_refused_and_the_rest_works";

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "does what it does not report",
          Overachieving::new,
          EACH,
          "CapabilityGuard.a_refused_creation_stores_nothing"),
      that("answers empty where it should refuse", Empty::new, EACH),
      that("refuses with another code", OtherCode::new, EACH),
      that(
          "refuses a creation that it has stored",
          StoringFirst::new,
          "CapabilityGuard.a_refused_creation_stores_nothing"),
      that(
          "refuses reads where it cannot list",
          Overcautious::new,
          EACH,
          "CapabilityGuard.without_any_capability_runs_are_still_appended_and_read"),
      that(
          "shows an outbox that it does not report",
          real -> new ForwardingStorage(real) {
            @Override
            public Optional<OutboxView> outbox() {
              return unguarded(real).outbox();
            }
          },
          EACH),
      that(
          "remembers schedules without reporting that it does",
          real -> new ForwardingStorage(real) {
            @Override
            public Optional<ScheduleStorage> schedules() {
              return unguarded(real).schedules();
            }
          },
          EACH),
      that(
          "keeps for operators what it does not report",
          real -> new ForwardingStorage(real) {
            @Override
            public Optional<OperatorStore> operator() {
              return unguarded(real).operator();
            }
          },
          EACH),
      that(
          "reports more than it was told to",
          real -> new ForwardingStorage(real) {
            @Override
            public Set<StorageCapability> capabilities() {
              return MemoryStorage.CAPABILITIES;
            }
          },
          EACH));

  private BrokenGuards() {}

  private static StorageAdapter unguarded(StorageAdapter reduced) {
    return ((MemoryStorage) reduced).reporting(MemoryStorage.CAPABILITIES);
  }

  private static boolean isRefusal(Throwable failure) {
    return ((RunlaneException) failure).code() == ErrorCode.CAPABILITY_UNSUPPORTED;
  }

  private static final class Overachieving extends ForwardingStorage {
    private final Set<StorageCapability> reported;

    Overachieving(StorageAdapter reduced) {
      super(unguarded(reduced));
      reported = reduced.capabilities();
    }

    @Override
    public Set<StorageCapability> capabilities() {
      return reported;
    }
  }

  private static final class Empty extends ForwardingStorage {
    Empty(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return real.listRuns(query)
          .recover(failure -> isRefusal(failure)
              ? Future.succeededFuture(new Page<>(List.of(), null))
              : Future.failedFuture(failure));
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      return real.claimOutboxMessages(command)
          .recover(failure -> isRefusal(failure)
              ? Future.succeededFuture(List.of())
              : Future.failedFuture(failure));
    }
  }

  private static final class OtherCode extends ForwardingStorage {
    OtherCode(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return real.listRuns(query)
          .recover(failure -> Future.failedFuture(
              isRefusal(failure)
                  ? RunlaneException.of(ErrorCode.INTERNAL_ERROR, "not here")
                  : failure));
    }
  }

  private static final class StoringFirst extends ForwardingStorage {
    StoringFirst(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(command)
          .recover(failure -> isRefusal(failure)
              ? unguarded(real)
                  .appendRunEvents(command)
                  .compose(stored -> Future.failedFuture(failure))
              : Future.failedFuture(failure));
    }
  }

  private static final class Overcautious extends ForwardingStorage {
    Overcautious(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<RunRecord>> getRun(GetRun query) {
      return real.capabilities().contains(StorageCapability.READS_RUN_HISTORY)
          ? real.getRun(query)
          : Future.failedFuture(
              RunlaneException.of(ErrorCode.CAPABILITY_UNSUPPORTED, "no reads here"));
    }
  }
}
