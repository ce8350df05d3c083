package dev.runlane.conformance.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.fixture.StorageFixture;
import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.StoredState;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.kit.CaseVertx;
import dev.runlane.conformance.kit.ConformanceSuite;
import dev.runlane.conformance.kit.EnclosingSuite;
import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.RuleNames;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRunByIdempotencyKey;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One promise of a storage. Each case gets a started adapter on fresh, empty state; it belongs into a
 * {@code @Nested} class of a {@link ConformanceSuite}.
 */
@ExtendWith({VertxExtension.class, EnclosingSuite.class})
@DisplayNameGeneration(RuleNames.class)
public abstract class StorageConformance {
  /** Runs that a set-up stores at the same time = 32, so that no adapter's bounds are in the way. */
  private static final int AT_ONCE = 32;

  protected StorageFixture fixture;
  protected StorageAdapter storage;
  protected List<Context> contexts;

  /** Opens the adapter under test. */
  @BeforeEach
  final void openStorage(ConformanceSuite<?> suite, CaseVertx vertx) {
    fixture = suite.fixture(StorageFixture.class, vertx);
    contexts = vertx.contexts();
    storage = Outcomes.done(fixture.open());
  }

  /** Closes all that the case opened. */
  @AfterEach
  final void closeStorage() {
    Outcomes.done(fixture.close());
  }

  /** The run, stored and there: no case passes on a storage that keeps nothing. */
  protected RunRecord given(TestRun run) {
    return Outcomes.done(storedAndFound(run));
  }

  /** Stores independent runs, many at a time; answers them in the order given. */
  protected List<RunRecord> givenAll(List<TestRun> runs) {
    return allDone(runs, this::storedAndFound);
  }

  /** Appends for many runs, in one call where the storage has batches; fails the case when one of them fails. */
  protected void appendedAll(List<AppendRunEvents> commands) {
    Optional<BatchStorage> batch = storage.batch();
    if (batch.isPresent()) {
      assertThat(Outcomes.done(batch.get().appendAll(commands)))
          .hasSameSizeAs(commands)
          .allMatch(CommandOutcome.Succeeded.class::isInstance);
      return;
    }
    allDone(commands, storage::appendRunEvents);
  }

  /** Creates due runs of one queue and leases each to the usual worker, in few calls where there are batches. */
  protected void givenLeased(QueuePolicy queue, List<TestRun> runs, Instant until) {
    List<TestRun> inQueue = runs.stream().map(run -> run.queue(queue)).toList();
    appendedAll(inQueue.stream().map(TestRun::creation).toList());
    Optional<BatchStorage> batch = storage.batch();
    if (batch.isEmpty()) {
      allDone(
              inQueue,
              run -> storage.claimRunLease(Commands.claim(
                  run.creation().projectedRun(), queue, Given.lease("tok", until), Given.NOON)))
          .forEach(claimed -> assertThat(claimed).isPresent());
      return;
    }
    ClaimRuns claim = new ClaimRuns(
        Given.ENVIRONMENT,
        List.of(queue),
        Given.TASKS,
        Given.WORKER,
        "tok",
        Duration.between(Given.NOON, until),
        Given.NOON,
        runs.size());
    int leased = 0;
    for (boolean more = true; more && leased < runs.size(); ) {
      ClaimedRuns claimed = Outcomes.done(batch.get().claimRuns(claim));
      leased += claimed.runs().size();
      more = claimed.mayHaveMore();
    }
    assertThat(leased).as("leased runs").isEqualTo(runs.size());
  }

  /** Gives all these commands, many at a time; the answers in their order. */
  protected static <C, R> List<R> allDone(List<C> commands, Function<C, Future<R>> given) {
    List<R> answers = new ArrayList<>();
    for (int from = 0; from < commands.size(); from += AT_ONCE) {
      commands.subList(from, Math.min(from + AT_ONCE, commands.size())).stream()
          .map(given)
          .toList()
          .forEach(answer -> answers.add(Outcomes.done(answer)));
    }
    return answers;
  }

  protected AppendedRun appended(AppendRunEvents command) {
    return Outcomes.done(storage.appendRunEvents(command));
  }

  protected AppendedRun append(RunRecord run, Instant now, RunEvent... events) {
    return appended(Commands.append(run, now, events));
  }

  /** The claimed run; fails the case when the claim is refused. */
  protected RunRecord claim(RunRecord run, QueuePolicy queue, String token, Instant now) {
    return tryClaim(run, queue, token, now)
        .map(AppendedRun::run)
        .orElseThrow(() -> new AssertionError("run " + run.id() + " was not claimed"));
  }

  protected Optional<AppendedRun> tryClaim(
      RunRecord run, QueuePolicy queue, String token, Instant now) {
    return Outcomes.done(storage.claimRunLease(
        Commands.claim(run, queue, Given.lease(token, now.plus(Given.MINUTE)), now)));
  }

  protected Optional<RunRecord> find(String runId) {
    return find(Given.ENVIRONMENT, runId);
  }

  protected Optional<RunRecord> find(Environment environment, String runId) {
    return Outcomes.done(storage.getRun(new GetRun(environment, runId)));
  }

  /** The run as it is stored now; fails the case when it is gone. */
  protected RunRecord read(String runId) {
    return find(runId).orElseThrow(() -> new AssertionError("run " + runId + " is not stored"));
  }

  protected Optional<String> owner(String idempotencyKey, Instant now) {
    return Outcomes.done(storage.getRunByIdempotencyKey(
            new GetRunByIdempotencyKey(Given.ENVIRONMENT, Given.TASK, idempotencyKey, now)))
        .map(RunRecord::id);
  }

  protected List<RunEventRecord> history(RunRecord run) {
    return StoredState.history(storage, run);
  }

  protected StoredState stored() {
    return StoredState.of(storage, Given.ENVIRONMENT);
  }

  protected List<ClaimedOutboxMessage> claimOutbox(Instant now, int limit) {
    return Outcomes.done(storage.claimOutboxMessages(
        new ClaimOutboxMessages(Given.ENVIRONMENT, now, Given.MINUTE, limit, null)));
  }

  /** Run ids of all messages that are not settled yet, found by claiming them a year later. */
  protected List<String> unsettledOutbox() {
    return claimOutbox(Given.NEXT_YEAR, 1_000).stream()
        .map(message -> message.message().runId())
        .toList();
  }

  /** Holds a refused command to have left everything as it was before. */
  protected void assertNothingStored(StoredState before) {
    assertThat(stored()).isEqualTo(before);
  }

  /** The adapters that compete in a race: two where another process could open the state too. */
  protected List<StorageAdapter> competitors() {
    if (storage.capabilities().contains(StorageCapability.PROCESS_LOCAL_STATE)) {
      return List.of(storage);
    }
    return List.of(storage, Outcomes.done(fixture.open()));
  }

  /** Starts all contenders together, spread over event loops and adapters, and waits for each. */
  protected <T> Race.Results<T> race(List<Function<StorageAdapter, Future<T>>> contenders) {
    List<StorageAdapter> adapters = competitors();
    List<Supplier<Future<T>>> bound = new ArrayList<>();
    for (int i = 0; i < contenders.size(); i++) {
      Function<StorageAdapter, Future<T>> contender = contenders.get(i);
      StorageAdapter adapter = adapters.get(i % adapters.size());
      bound.add(() -> contender.apply(adapter));
    }
    return Race.run(contexts, bound);
  }

  private Future<RunRecord> storedAndFound(TestRun run) {
    return run.storeIn(storage).compose(stored -> storage
        .getRun(new GetRun(stored.environment(), stored.id()))
        .map(found -> {
          assertThat(found).as("run %s", stored.id()).isPresent();
          return stored;
        }));
  }

  protected static void assertAllConflict(
      List<RunlaneException> failures, StorageConflictKind kind) {
    failures.forEach(failure -> Outcomes.assertConflict(failure, kind));
  }
}
