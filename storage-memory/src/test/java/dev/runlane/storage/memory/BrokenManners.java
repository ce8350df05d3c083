package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** Storages that answer in the wrong way. */
final class BrokenManners {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "throws instead of failing its future",
          Throwing::new,
          "Validation.a_malformed_command_fails_its_future_and_stores_nothing"),
      that(
          "answers null instead of a future",
          Nulls::new,
          "LeaseClaim.a_claim_of_a_run_that_does_not_exist_is_empty"),
      that(
          "hides what went wrong",
          Vague::new,
          "Sequence.a_stale_append_is_a_conflict_and_stores_nothing",
          "Consistency.an_event_of_another_run_is_a_contract_violation"),
      that(
          "takes malformed commands",
          Unchecked::new,
          "Validation.a_malformed_command_fails_its_future_and_stores_nothing"));

  private BrokenManners() {}

  private static final class Throwing extends ForwardingStorage {
    Throwing(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      CommandChecks.check(command);
      return real.appendRunEvents(command);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      CommandChecks.check(query);
      return real.listRuns(query);
    }

    @Override
    public Future<Optional<RunRecord>> getRun(GetRun query) {
      CommandChecks.check(query);
      return real.getRun(query);
    }
  }

  /** Null where there is nothing, as many a map does. */
  private static final class Nulls extends ForwardingStorage {
    Nulls(StorageAdapter real) {
      super(real);
    }

    @Override
    @SuppressWarnings("NullAway")
    public Future<Optional<RunRecord>> getRun(GetRun query) {
      Future<Optional<RunRecord>> found = real.getRun(query);
      return found.succeeded() && found.result().isEmpty() ? null : found;
    }
  }

  private static final class Vague extends ForwardingStorage {
    Vague(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(command)
          .recover(failure -> Future.failedFuture(
              RunlaneException.of(ErrorCode.INTERNAL_ERROR, "something went wrong")));
    }
  }

  private static final class Unchecked extends ForwardingStorage {
    Unchecked(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      return real.claimOutboxMessages(command).otherwise(List.of());
    }
  }
}
