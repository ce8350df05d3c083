package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.json.StorableText;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.RunnableRunRef;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ReserveRunDispatch;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Storages that make do with a value instead of refusing it. */
final class BrokenChecks {
  private static final String TEXTS =
      "Validation.text_that_cannot_be_stored_is_refused_wherever_it_comes_in";
  private static final String INSTANTS =
      "Validation.an_instant_outside_the_years_1_to_9999_is_refused_wherever_it_comes_in";
  private static final String LEASES =
      "Validation.a_lease_with_an_invalid_token_or_worker_is_refused";
  private static final String CLAIMS =
      "Validation.a_claim_shorter_than_a_microsecond_or_longer_than_a_century_is_refused";
  private static final String CLAIM_ENDS =
      "Validation.a_claim_that_would_end_after_the_year_9999_is_refused";
  private static final String RETENTIONS =
      "Validation.a_retention_that_is_not_whole_positive_milliseconds_within_a_century_is_refused";

  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that("repairs the reason of a cancellation", RepairedReasons::new, TEXTS),
      that("repairs the failure of a publish", RepairedFailures::new, TEXTS),
      that("takes an instant it cannot store for the nearest it can", Clamped::new, INSTANTS),
      that("answers a malformed claim as a lost one", LostClaims::new, LEASES),
      that("rounds claims up to a microsecond", RoundedClaims::new, CLAIMS),
      that("cuts claims to a century", CutClaims::new, CLAIMS),
      that("ends every claim by the year 9999", EndingClaims::new, CLAIM_ENDS),
      that("rounds retentions to milliseconds", RoundedRetentions::new, RETENTIONS),
      that(
          "delivers whatever run an event is about",
          OwnDeliveries::new,
          "Consistency.a_delivery_of_another_run_environment_or_queue_is_a_contract_violation"),
      that(
          "reserves whatever run the delivery names",
          OwnReservations::new,
          "Consistency.a_reservation_that_delivers_another_run_environment_or_queue_is_a_contract_violation"),
      that(
          "ends a list after an id with a line feed",
          LineFeeds::new,
          "Cursor.a_cursor_goes_on_after_a_run_whatever_characters_its_id_holds"));

  private BrokenChecks() {}

  private static boolean isMalformed(Throwable failure) {
    return ((RunlaneException) failure).code() == ErrorCode.VALIDATION_FAILED;
  }

  private static DeliveryIntent own(RunRecord run, DeliveryIntent delivery) {
    return new DeliveryIntent(
        run.environment(),
        run.id(),
        run.queue(),
        delivery.requestedAt(),
        delivery.availableAt(),
        delivery.dispatchExpiresAt(),
        delivery.traceCarrier());
  }

  private static final class RepairedReasons extends ForwardingStorage {
    RepairedReasons(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(Records.withEvents(
          command,
          event ->
              event instanceof RunEvent.CancellationRequested request && request.reason() != null
                  ? new RunEvent.CancellationRequested(
                      request.header(), StorableText.repaired(request.reason()))
                  : event));
    }
  }

  private static final class RepairedFailures extends ForwardingStorage {
    RepairedFailures(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Void> markOutboxMessagesFailed(MarkOutboxMessagesFailed command) {
      return real.markOutboxMessagesFailed(new MarkOutboxMessagesFailed(
          command.environment(),
          command.messages().stream()
              .map(each -> new MarkOutboxMessagesFailed.Failed(
                  each.outboxMessageId(),
                  each.claimToken(),
                  repaired(each.failure()),
                  each.nextAvailableAt(),
                  each.counted()))
              .toList(),
          command.now()));
    }

    private static FailureRecord repaired(FailureRecord failure) {
      return new FailureRecord(
          failure.code(),
          StorableText.repaired(failure.message()),
          failure.retryable(),
          failure.meta());
    }
  }

  private static final class Clamped extends ForwardingStorage {
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    Clamped(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunnableRunRef>> listRunnableRuns(ListRunnableRuns query) {
      Instant now = query.now();
      Instant near = now.isBefore(EARLIEST) ? EARLIEST : now.isAfter(LATEST) ? LATEST : now;
      return real.listRunnableRuns(new ListRunnableRuns(
          query.environment(), query.queues(), query.taskIds(), near, query.limit()));
    }
  }

  private static final class LostClaims extends ForwardingStorage {
    LostClaims(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> claimRunLease(ClaimRunLease command) {
      return real.claimRunLease(command)
          .recover(failure -> isMalformed(failure)
              ? Future.succeededFuture(Optional.empty())
              : Future.failedFuture(failure));
    }
  }

  private static final class RoundedClaims extends ForwardingStorage {
    private static final Duration MICROSECOND = Duration.ofNanos(1_000);

    RoundedClaims(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<ClaimedOccurrence>> claimScheduleOccurrence(
        ClaimScheduleOccurrence command) {
      return real.claimScheduleOccurrence(new ClaimScheduleOccurrence(
          command.environment(),
          command.scheduleId(),
          command.occurrenceId(),
          command.fireAt(),
          command.now(),
          command.claimFor().compareTo(MICROSECOND) < 0 ? MICROSECOND : command.claimFor()));
    }
  }

  private static final class CutClaims extends ForwardingStorage {
    private static final Duration CENTURY = Duration.ofDays(36_500);

    CutClaims(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      Duration claimFor = command.claimOutboxFor();
      return real.appendRunEvents(
          claimFor != null && claimFor.compareTo(CENTURY) > 0
              ? command.claimingOutboxFor(CENTURY)
              : command);
    }
  }

  private static final class EndingClaims extends ForwardingStorage {
    private static final Instant END = Instant.parse("9999-12-31T23:59:59Z");

    EndingClaims(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<ClaimedOutboxMessage>> claimOutboxMessages(ClaimOutboxMessages command) {
      Instant latest = END.minus(command.claimFor());
      return real.claimOutboxMessages(new ClaimOutboxMessages(
          command.environment(),
          command.now().isAfter(latest) ? latest : command.now(),
          command.claimFor(),
          command.limit(),
          command.outboxMessageIds()));
    }
  }

  private static final class RoundedRetentions extends ForwardingStorage {
    RoundedRetentions(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      RunKeys keys = command.projectedRun().keys();
      IdempotencyTtl ttl = keys.idempotencyTtl();
      Duration retention = ttl == null ? null : ttl.retention();
      if (retention == null || keys.idempotencyKey() == null || command.expectedSequence() > 0) {
        return real.appendRunEvents(command);
      }
      Duration rounded = Duration.ofMillis(Math.max(1, retention.toMillis()));
      return real.appendRunEvents(Records.withKeys(
          command, keys.withIdempotencyKey(keys.idempotencyKey(), IdempotencyTtl.of(rounded))));
    }
  }

  private static final class OwnDeliveries extends ForwardingStorage {
    OwnDeliveries(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      return real.appendRunEvents(Records.withEvents(
          command,
          event -> event instanceof RunEvent.DeliveryRequested requested
              ? new RunEvent.DeliveryRequested(
                  requested.header(), own(command.projectedRun(), requested.delivery()))
              : event));
    }
  }

  private static final class OwnReservations extends ForwardingStorage {
    OwnReservations(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<AppendedRun>> reserveRunDispatch(ReserveRunDispatch command) {
      return real.reserveRunDispatch(new ReserveRunDispatch(
          command.environment(),
          command.runId(),
          command.expectedSequence(),
          new RunEvent.DeliveryRequested(
              command.event().header(),
              own(command.projectedRun(), command.event().delivery())),
          command.projectedRun(),
          command.queuePolicy(),
          command.now()));
    }
  }

  private static final class LineFeeds extends ForwardingStorage {
    LineFeeds(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return real.listRuns(query)
          .map(page -> page.data().stream().anyMatch(run -> run.id().contains("\n"))
              ? new Page<>(page.data(), null)
              : page);
    }
  }
}
