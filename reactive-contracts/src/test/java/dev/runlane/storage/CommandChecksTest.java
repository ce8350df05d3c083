package dev.runlane.storage;

import static dev.runlane.samples.SampleCommands.BOUNDED;
import static dev.runlane.samples.SampleCommands.UNBOUNDED;
import static dev.runlane.samples.Samples.FAILURE;
import static dev.runlane.samples.Samples.LEASE;
import static dev.runlane.samples.Samples.NOON;
import static dev.runlane.samples.Samples.PRODUCTION;
import static dev.runlane.samples.Samples.QUEUE;
import static dev.runlane.samples.Samples.RUN;
import static dev.runlane.samples.Samples.TASK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.samples.SampleCommands;
import dev.runlane.samples.Samples;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.ListRunsNeedingCancellationFinalization;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.PruneRuns;
import dev.runlane.storage.run.ReleaseRunLease;
import dev.runlane.storage.run.ResetIdempotencyKey;
import dev.runlane.storage.schedule.ClaimScheduleOccurrence;
import dev.runlane.storage.schedule.CompleteScheduleOccurrence;
import dev.runlane.storage.schedule.RegisterSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each command may not carry. What its events may not say is in {@link EventChecksTest}. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class CommandChecksTest {
  private static final String BAD = "a:b";
  private static final Environment NOWHERE = new Environment("");
  private static final QueuePolicy ZERO = QueuePolicy.bounded(QUEUE, 0);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Instant FAR = Instant.MAX;
  private static final List<String> MANY = Collections.nCopies(10_001, RUN);
  private static final List<String> IDS = List.of(RUN);
  private static final List<QueuePolicy> QUEUES = List.of(BOUNDED);
  private static final List<QueuePolicy> MANY_QUEUES = IntStream.rangeClosed(1, 10_001)
      .mapToObj(number -> QueuePolicy.bounded("queue_" + number, 1))
      .toList();

  @Test
  void well_formed_commands_are_accepted() {
    assertThatCode(() -> {
          CommandChecks.check(SampleCommands.claimingFor(MINUTE).in(BOUNDED));
          CommandChecks.check(SampleCommands.claim(SampleCommands.claimed(LEASE)));
          CommandChecks.check(SampleCommands.heartbeat(LEASE));
          CommandChecks.check(SampleCommands.reserve(BOUNDED));
          CommandChecks.check(new GetRun(PRODUCTION, "r".repeat(128)));
          CommandChecks.check(new GetRuns(PRODUCTION, MANY.subList(0, 10_000)));
          CommandChecks.check(runs(Samples.FILTER, 1));
          CommandChecks.check(new ListRunnableRuns(PRODUCTION, QUEUES, IDS, NOON, 1));
          CommandChecks.check(new ClaimOutboxMessages(PRODUCTION, NOON, MINUTE, 1, null));
          CommandChecks.check(new ClaimOutboxMessages(PRODUCTION, NOON, MINUTE, 1, IDS));
          CommandChecks.check(SampleCommands.published("msg_1", "tok_1", null));
          CommandChecks.check(SampleCommands.failed("msg_1", FAILURE, null));
          CommandChecks.check(SampleCommands.deadLettered("msg_1", FAILURE));
          CommandChecks.check(prune(Set.of(RunStatus.FAILED), NOON, NOON, null));
        })
        .doesNotThrowAnyException();
  }

  @Test
  void appends_are_checked() {
    AppendRunEvents creation = SampleCommands.creation(Samples.created());
    refused(() -> CommandChecks.check(new AppendRunEvents(
        NOWHERE, RUN, 0, creation.events(), creation.projectedRun(), null, NOON, null)));
    refused(() -> CommandChecks.check(new AppendRunEvents(
        PRODUCTION, BAD, 0, creation.events(), creation.projectedRun(), null, NOON, null)));
    refused(() -> CommandChecks.check(new AppendRunEvents(
        PRODUCTION, RUN, 0, creation.events(), creation.projectedRun(), null, FAR, null)));
    refused(() -> CommandChecks.check(creation.in(ZERO)));
    refused(() -> CommandChecks.check(creation.in(QueuePolicy.unbounded(BAD))));
    refused(() -> CommandChecks.check(SampleCommands.claimingFor(Duration.ZERO)));
    refused(() -> CommandChecks.check(SampleCommands.claimingFor(MINUTE.negated())));
    refused(() -> CommandChecks.check(SampleCommands.claimingFor(Duration.ofNanos(999))));
    assertThatCode(() -> CommandChecks.check(SampleCommands.claimingFor(Duration.ofNanos(1_000))))
        .doesNotThrowAnyException();
    refused(() -> CommandChecks.check(SampleCommands.claimingFor(Duration.ofDays(36_501))));
    refused(() -> CommandChecks.check(creation.whileHeld(new Lease("tok_1", "wrk_1", NOON))));
    AppendRunEvents later = SampleCommands.append(7, Samples.queued(), Samples.created());
    assertThatCode(() -> CommandChecks.check(later.whileHeld(new Lease("tok_1", "wrk_1", NOON))))
        .doesNotThrowAnyException();
    refused(() -> CommandChecks.check(later.whileHeld(new Lease(BAD, "wrk_1", NOON))));
    refused(() -> CommandChecks.check(later.whileHeld(new Lease("tok_1", BAD, NOON))));
    refused(() -> CommandChecks.check(later.whileHeld(new Lease("tok_1", "wrk_1", FAR))));
    refused(() -> CommandChecks.check(new AppendRunEvents(
        PRODUCTION,
        RUN,
        0,
        Collections.nCopies(10_001, Samples.created()),
        creation.projectedRun(),
        null,
        NOON,
        null)));
  }

  @Test
  void registered_schedules_are_counted() {
    List<RegisterSchedules.Definition> schedules = IntStream.rangeClosed(1, 10_001)
        .mapToObj(number -> new RegisterSchedules.Definition("task", "s_" + number, "0 3 * * *"))
        .toList();
    refused(() -> CommandChecks.check(new RegisterSchedules(PRODUCTION, schedules, NOON, MINUTE)));
    assertThatCode(() -> CommandChecks.check(
            new RegisterSchedules(PRODUCTION, schedules.subList(0, 10_000), NOON, MINUTE)))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, 1L << 53, Long.MAX_VALUE})
  void a_sequence_that_cannot_be_is_refused(long sequence) {
    refused(() ->
        CommandChecks.check(SampleCommands.append(sequence, Samples.queued(), Samples.created())));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, (1L << 53) - 1})
  void a_sequence_that_can_be_is_accepted(long sequence) {
    assertThatCode(() -> CommandChecks.check(
            SampleCommands.append(sequence, Samples.queued(), Samples.created())))
        .doesNotThrowAnyException();
  }

  @Test
  void claims_heartbeats_and_reservations_are_checked() {
    refused(() -> CommandChecks.check(
        SampleCommands.claim(Samples.running(), ZERO, SampleCommands.claimed(LEASE))));
    refused(() -> CommandChecks.check(
        SampleCommands.claim(SampleCommands.claimed(SampleCommands.lease(BAD, "worker_1")))));
    refused(
        () -> CommandChecks.check(SampleCommands.heartbeat(SampleCommands.lease("tok_1", BAD))));
    refused(() -> CommandChecks.check(SampleCommands.reserve(UNBOUNDED)));
    refused(() -> CommandChecks.check(SampleCommands.reserve(ZERO)));
    refused(() -> CommandChecks.check(new ReleaseRunLease(PRODUCTION, BAD, "tok_1", "worker_1")));
    refused(() -> CommandChecks.check(new ReleaseRunLease(PRODUCTION, RUN, "", "worker_1")));
    refused(() -> CommandChecks.check(new ReleaseRunLease(PRODUCTION, RUN, "tok_1", BAD)));
    assertThatCode(
            () -> CommandChecks.check(new ReleaseRunLease(PRODUCTION, RUN, "tok_1", "worker_1")))
        .doesNotThrowAnyException();
  }

  @Test
  void reads_are_checked() {
    refused(() -> CommandChecks.check(new GetRun(NOWHERE, RUN)));
    refused(() -> CommandChecks.check(new GetRun(PRODUCTION, "r".repeat(129))));
    refused(() -> CommandChecks.check(new GetRuns(NOWHERE, IDS)));
    refused(() -> CommandChecks.check(new GetRuns(PRODUCTION, List.of(RUN, BAD))));
    refused(() -> CommandChecks.check(new GetRuns(PRODUCTION, MANY)));
    refused(() -> CommandChecks.check(new GetRunByIdempotencyKey(PRODUCTION, BAD, "key", NOON)));
    refused(() -> CommandChecks.check(new GetRunByIdempotencyKey(PRODUCTION, TASK, "", NOON)));
    refused(() -> CommandChecks.check(new GetRunByIdempotencyKey(PRODUCTION, TASK, "key", FAR)));
    refused(() -> CommandChecks.check(new ResetIdempotencyKey(NOWHERE, TASK, "key", NOON)));
    refused(() -> CommandChecks.check(new ResetIdempotencyKey(PRODUCTION, TASK, BAD, NOON)));
    refused(() -> CommandChecks.check(new ResetIdempotencyKey(PRODUCTION, TASK, "key", FAR)));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(ints = {1, 50, 200, Integer.MAX_VALUE})
  void a_page_limit_from_one_on_is_accepted(Integer limit) {
    assertThatCode(() -> CommandChecks.check(runs(RunFilter.ALL, limit)))
        .doesNotThrowAnyException();
    assertThat(CommandChecks.pageLimit(limit)).isBetween(1, 200);
  }

  @Test
  void a_page_has_fifty_rows_unless_asked_and_two_hundred_at_most() {
    assertThat(CommandChecks.pageLimit(null)).isEqualTo(50);
    assertThat(CommandChecks.pageLimit(199)).isEqualTo(199);
    assertThat(CommandChecks.pageLimit(201)).isEqualTo(200);
  }

  @Test
  void lists_are_checked() {
    refused(() -> CommandChecks.check(runs(RunFilter.ALL, 0)));
    refused(() -> CommandChecks.check(runs(RunFilter.ALL, -1)));
    refused(() -> CommandChecks.check(runs(RunFilter.ALL.withTaskIds(List.of(BAD)), 1)));
    refused(() -> CommandChecks.check(runs(RunFilter.ALL.withQueues(MANY), 1)));
    refused(() -> CommandChecks.check(runs(RunFilter.ALL.withConcurrencyKey(BAD), 1)));
    refused(() -> CommandChecks.check(runs(RunFilter.ALL.withIdempotencyKey(""), 1)));
    refused(() -> CommandChecks.check(runs(RunFilter.ALL.withSingletonKey("\0"), 1)));
    refused(() -> CommandChecks.check(runs(RunFilter.ALL.withCreated(Instant.MIN, null), 1)));
    refused(() -> CommandChecks.check(runs(RunFilter.ALL.withCreated(null, FAR), 1)));
    RunEventFilter any = new RunEventFilter(null, Set.of(), null, null);
    RunEventSort byTime = new RunEventSort(RunEventSort.Field.OCCURRED_AT, SortDirection.ASC);
    refused(() -> CommandChecks.check(events(any, RunEventSort.HISTORY, 1)));
    refused(() -> CommandChecks.check(events(any, byTime, 0)));
    refused(() -> CommandChecks.check(events(RunEventFilter.ofRun(BAD), byTime, 1)));
    refused(() ->
        CommandChecks.check(events(new RunEventFilter(null, Set.of(), FAR, null), byTime, 1)));
    refused(() ->
        CommandChecks.check(events(new RunEventFilter(null, Set.of(), null, FAR), byTime, 1)));
    assertThatCode(() -> {
          CommandChecks.check(events(any, byTime, 1));
          CommandChecks.check(events(RunEventFilter.ofRun(RUN), RunEventSort.HISTORY, null));
        })
        .doesNotThrowAnyException();
  }

  @Test
  void scans_are_checked() {
    refused(() -> CommandChecks.check(new ListRunnableRuns(NOWHERE, QUEUES, IDS, NOON, 1)));
    refused(() -> CommandChecks.check(new ListRunnableRuns(PRODUCTION, QUEUES, IDS, NOON, 0)));
    refused(() -> CommandChecks.check(new ListRunnableRuns(PRODUCTION, QUEUES, MANY, NOON, 1)));
    refused(
        () -> CommandChecks.check(new ListRunnableRuns(PRODUCTION, List.of(ZERO), IDS, NOON, 1)));
    refused(() -> CommandChecks.check(new ListRunnableRuns(PRODUCTION, MANY_QUEUES, IDS, NOON, 1)));
    refused(() ->
        CommandChecks.check(new ListRunsNeedingDispatch(PRODUCTION, List.of(UNBOUNDED), NOON, 1)));
    refused(
        () -> CommandChecks.check(new ListRunsNeedingDelivery(PRODUCTION, List.of(BAD), NOON, 1)));
    refused(
        () -> CommandChecks.check(new ListRunsNeedingCancellationFinalization(PRODUCTION, FAR, 1)));
    assertThatCode(() -> {
          CommandChecks.check(new ListRunsNeedingDispatch(PRODUCTION, QUEUES, NOON, 1));
          CommandChecks.check(new ListRunsNeedingDelivery(PRODUCTION, List.of(), NOON, 1));
          CommandChecks.check(new ListRunsNeedingCancellationFinalization(PRODUCTION, NOON, 1));
        })
        .doesNotThrowAnyException();
  }

  @Test
  void schedules_are_checked() {
    refused(() -> CommandChecks.check(occurrence(BAD, "occ_1", NOON, MINUTE)));
    refused(() -> CommandChecks.check(occurrence("nightly", "", NOON, MINUTE)));
    refused(() -> CommandChecks.check(occurrence("nightly", "occ_1", FAR, MINUTE)));
    refused(() -> CommandChecks.check(occurrence("nightly", "occ_1", NOON, Duration.ZERO)));
    refused(() -> CommandChecks.check(completion("", "tok_1", IDS)));
    refused(() -> CommandChecks.check(completion("occ_1", BAD, IDS)));
    refused(() -> CommandChecks.check(completion("occ_1", "tok_1", List.of(BAD))));
    assertThatCode(() -> {
          CommandChecks.check(occurrence("nightly", "occ_1", NOON, MINUTE));
          CommandChecks.check(completion("occ_1", "tok_1", List.of()));
        })
        .doesNotThrowAnyException();
  }

  @Test
  void outbox_commands_are_checked() {
    refused(() -> CommandChecks.check(new ClaimOutboxMessages(PRODUCTION, NOON, MINUTE, 0, null)));
    refused(() ->
        CommandChecks.check(new ClaimOutboxMessages(PRODUCTION, NOON, Duration.ZERO, 1, null)));
    refused(() -> CommandChecks.check(
        new ClaimOutboxMessages(PRODUCTION, InputRules.LATEST, MINUTE, 1, null)));
    refused(() ->
        CommandChecks.check(new ClaimOutboxMessages(PRODUCTION, NOON, MINUTE, 1, List.of(BAD))));
    refused(() -> CommandChecks.check(SampleCommands.published(BAD, "tok_1", null)));
    refused(() -> CommandChecks.check(SampleCommands.published("msg_1", BAD, null)));
    refused(() -> CommandChecks.check(SampleCommands.published("msg_1", "tok_1", "\0")));
    refused(() -> CommandChecks.check(SampleCommands.failed(BAD, FAILURE, null)));
    refused(() -> CommandChecks.check(SampleCommands.failed("msg_1", FAILURE, FAR)));
    refused(() -> CommandChecks.check(
        SampleCommands.failed("msg_1", SampleCommands.failing("\ud83d"), null)));
    refused(() -> CommandChecks.check(SampleCommands.deadLettered(BAD, FAILURE)));
    refused(() ->
        CommandChecks.check(SampleCommands.deadLettered("msg_1", SampleCommands.failing("\0"))));
  }

  @Test
  void prunes_are_checked() {
    refused(() -> CommandChecks.check(prune(Set.of(RunStatus.RUNNING), NOON, NOON, null)));
    refused(() -> CommandChecks.check(prune(Set.of(), NOON, NOON, 0)));
    refused(() -> CommandChecks.check(prune(Set.of(), FAR, NOON, 1)));
    refused(() -> CommandChecks.check(prune(Set.of(), NOON, FAR, 1)));
  }

  @Test
  void batch_claims_are_checked() {
    refused(() -> CommandChecks.check(claimRuns(List.of(ZERO), IDS, "w", "tok_1", MINUTE, 1)));
    refused(() -> CommandChecks.check(claimRuns(QUEUES, List.of(BAD), "w", "tok_1", MINUTE, 1)));
    refused(() -> CommandChecks.check(claimRuns(QUEUES, IDS, BAD, "tok_1", MINUTE, 1)));
    refused(() -> CommandChecks.check(claimRuns(QUEUES, IDS, "w", "", MINUTE, 1)));
    refused(() -> CommandChecks.check(claimRuns(QUEUES, IDS, "w", "tok_1", Duration.ZERO, 1)));
    refused(() -> CommandChecks.check(
        new ClaimRuns(PRODUCTION, QUEUES, IDS, "w", "tok_1", MINUTE, InputRules.LATEST, 1)));
    refused(() -> CommandChecks.check(claimRuns(QUEUES, IDS, "w", "tok_1", MINUTE, 0)));
    assertThatCode(() -> CommandChecks.check(claimRuns(QUEUES, IDS, "w", "tok_1", MINUTE, 1)))
        .doesNotThrowAnyException();
  }

  @Test
  void claims_of_named_runs_are_checked() {
    List<QueuePolicy> unbounded = List.of(QueuePolicy.unbounded("q"));
    refused(() -> CommandChecks.check(claimNamed(unbounded, List.of(BAD))));
    refused(() -> CommandChecks.check(claimNamed(List.of(QueuePolicy.bounded("q", 1)), IDS)));
    assertThatCode(() -> CommandChecks.check(claimNamed(unbounded, IDS)))
        .doesNotThrowAnyException();
  }

  private static void refused(Runnable check) {
    RunlaneException failure = catchThrowableOfType(RunlaneException.class, check::run);

    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(failure.isRetryable()).isFalse();
  }

  private static ListRuns runs(RunFilter filter, Integer limit) {
    return new ListRuns(PRODUCTION, filter, RunSort.NEWEST_FIRST, limit, null);
  }

  private static ListRunEvents events(RunEventFilter filter, RunEventSort sort, Integer limit) {
    return new ListRunEvents(PRODUCTION, filter, sort, limit, null);
  }

  private static ClaimScheduleOccurrence occurrence(
      String schedule, String occurrence, Instant fireAt, Duration claimFor) {
    return new ClaimScheduleOccurrence(PRODUCTION, schedule, occurrence, fireAt, NOON, claimFor);
  }

  private static CompleteScheduleOccurrence completion(
      String occurrence, String token, List<String> runIds) {
    return new CompleteScheduleOccurrence(PRODUCTION, occurrence, token, runIds, NOON);
  }

  private static PruneRuns prune(
      Set<RunStatus> statuses, Instant olderThan, Instant now, Integer limit) {
    return new PruneRuns(PRODUCTION, statuses, olderThan, now, limit, null);
  }

  private static ClaimRuns claimNamed(List<QueuePolicy> queues, List<String> runIds) {
    return new ClaimRuns(PRODUCTION, queues, IDS, "w", "tok_1", MINUTE, NOON, 1, runIds);
  }

  private static ClaimRuns claimRuns(
      List<QueuePolicy> queues,
      List<String> tasks,
      String worker,
      String token,
      Duration leaseFor,
      int limit) {
    return new ClaimRuns(PRODUCTION, queues, tasks, worker, token, leaseFor, NOON, limit);
  }
}
