package dev.runlane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StatementObserver;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CommandBatcherTest {
  private static final String GUILTY = "guilty:1";
  private static final Supplier<Duration> SILENCE = () -> Duration.ofMinutes(1);

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();

  @AfterEach
  void close() {
    Database.done(vertx.close());
  }

  @Test
  void an_idle_gatherer_sends_a_command_at_once_and_alone() {
    Promise<Void> gate = Promise.promise();
    ControlledStatement statement = ControlledStatement.behind(gate);
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 256, 100);

    Future<String> first = gatherer.submit("a:1");
    settle();

    assertThat(statement.sent()).containsExactly(List.of("a:1"));
    context.runOnContext(turn -> gate.complete());
    assertThat(Database.done(first)).isEqualTo("done a:1");
  }

  @Test
  void a_gatherer_that_nobody_uses_any_more_is_not_kept_by_its_slots() {
    StatementSlots slots = new StatementSlots(context, 1);
    WeakReference<CommandBatcher<String, String>> gone =
        new WeakReference<>(gatherer(fulfilling(), slots, bounds(256, 100)));
    CommandBatcher<String, String> used = gatherer(fulfilling(), slots, bounds(256, 100));

    for (int tries = 0; tries < 20 && gone.get() != null; tries++) {
      System.gc();
    }

    assertThat(gone.get()).isNull();
    assertThat(Database.done(used.submit("a:1"))).isEqualTo("done a:1");
  }

  @Test
  void commands_that_wait_for_a_slot_share_one_statement_in_their_order() {
    Promise<Void> gate = Promise.promise();
    ControlledStatement statement = ControlledStatement.behind(gate);
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 256, 1_000);
    Future<String> first = gatherer.submit("first:0");
    settle();

    List<String> commands =
        IntStream.range(0, 200).mapToObj(i -> "k" + i + ":1").toList();
    List<Future<String>> waiting = commands.stream().map(gatherer::submit).toList();
    settle();
    context.runOnContext(turn -> gate.complete());

    Database.done(first);
    waiting.forEach(Database::done);
    assertThat(statement.sent()).containsExactly(List.of("first:0"), commands);
  }

  @Test
  void callers_of_one_context_are_answered_in_one_turn_and_so_are_those_outside_of_any() {
    Promise<Void> gate = Promise.promise();
    CommandBatcher<String, String> gatherer =
        gatherer(ControlledStatement.behind(gate), 1, 256, 1_000);
    Future<String> first = gatherer.submit("first:0");
    settle();
    List<Integer> turns = new CopyOnWriteArrayList<>();
    AtomicInteger turn = new AtomicInteger();

    List<Future<String>> waiting = IntStream.range(0, 50)
        .mapToObj(i -> gatherer.submit("k" + i + ":1").onComplete(ended -> {
          turns.add(turn.get());
          Vertx.currentContext().runOnContext(next -> turn.incrementAndGet());
        }))
        .toList();
    settle();
    context.runOnContext(open -> gate.complete());

    Database.done(first);
    waiting.forEach(Database::done);
    assertThat(turns).hasSize(50).containsOnly(0);
  }

  @Test
  void a_caller_who_throws_keeps_nothing_from_the_others() {
    Promise<Void> gate = Promise.promise();
    CommandBatcher<String, String> gathering =
        gatherer(ControlledStatement.behind(gate), 1, 256, 1_000);
    Future<String> first = gathering.submit("first:0");
    settle();

    Future<String> thrower = gathering.submit("a:1");
    thrower.onComplete(ended -> {
      throw new IllegalStateException("a caller's mistake");
    });
    Future<String> other = gathering.submit("b:1");
    settle();
    context.runOnContext(open -> gate.complete());

    assertThat(Database.done(first)).isEqualTo("done first:0");
    assertThat(Database.done(other)).isEqualTo("done b:1");
  }

  @Test
  void a_caller_whose_verticle_and_threads_are_gone_keeps_nothing_from_the_others() {
    Promise<Void> gate = Promise.promise();
    CommandBatcher<String, String> gathering =
        gatherer(ControlledStatement.behind(gate), 1, 256, 1_000);
    Future<String> first = gathering.submit("first:0");
    settle();
    String id = Database.done(vertx.deployVerticle(
        new VerticleBase() {
          @Override
          public Future<?> start() {
            gathering.submit("a:1");
            return Future.succeededFuture();
          }
        },
        new DeploymentOptions()
            .setThreadingModel(ThreadingModel.WORKER)
            .setWorkerPoolName("of-one-verticle")));
    Future<String> other = gathering.submit("b:1");
    settle();
    Database.done(vertx.undeploy(id));
    context.runOnContext(open -> gate.complete());

    assertThat(Database.done(first)).isEqualTo("done first:0");
    assertThat(Database.done(other)).isEqualTo("done b:1");
    assertThat(Database.done(gathering.submit("a:1"))).isEqualTo("done a:1");
  }

  @Test
  void many_commands_of_one_call_get_their_outcomes_in_order() {
    CommandBatcher<String, String> gatherer = gatherer(guilty(failure("22000")), 2, 10, 1_000);
    List<String> commands =
        new ArrayList<>(IntStream.range(0, 35).mapToObj(i -> "k" + i + ":1").toList());
    commands.add(17, GUILTY);

    List<CommandOutcome<String>> outcomes = Database.done(gatherer.submitAll(commands));

    assertThat(outcomes).hasSize(36);
    for (int index = 0; index < commands.size(); index++) {
      if (index == 17) {
        assertThat(outcomes.get(index)).isInstanceOf(CommandOutcome.Failed.class);
      } else {
        assertThat(outcomes.get(index))
            .isEqualTo(new CommandOutcome.Succeeded<>("done " + commands.get(index)));
      }
    }
    assertThat(Database.done(gatherer.submitAll(List.of()))).isEmpty();
  }

  @Test
  void two_slots_send_two_statements_at_a_time() {
    Promise<Void> gate = Promise.promise();
    ControlledStatement statement = ControlledStatement.behind(gate);
    CommandBatcher<String, String> gatherer = gatherer(statement, 2, 1, 100);

    List<Future<String>> submitted =
        IntStream.range(0, 5).mapToObj(i -> gatherer.submit("k" + i + ":1")).toList();
    settle();

    assertThat(statement.sent()).hasSize(2);
    context.runOnContext(turn -> gate.complete());
    submitted.forEach(Database::done);
    assertThat(statement.sent()).hasSize(5).allMatch(commands -> commands.size() == 1);
  }

  @Test
  void no_statement_holds_more_than_the_limit() {
    Promise<Void> gate = Promise.promise();
    ControlledStatement statement = ControlledStatement.behind(gate);
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 10, 100);

    List<Future<String>> submitted =
        IntStream.range(0, 35).mapToObj(i -> gatherer.submit("k" + i + ":1")).toList();
    context.runOnContext(turn -> gate.complete());

    submitted.forEach(Database::done);
    assertThat(statement.sent().stream().mapToInt(List::size).sum()).isEqualTo(35);
    assertThat(statement.sent()).allMatch(commands -> commands.size() <= 10);
  }

  @Test
  void a_statement_of_another_database_says_itself_what_its_failures_mean() {
    BatchStatement<String, String> elsewhere = new BatchStatement<>() {
      private int sent;

      @Override
      public List<String> keys(String command) {
        return List.of(command);
      }

      @Override
      public Future<List<CommandOutcome<String>>> execute(List<String> commands) {
        sent++;
        return commands.contains(GUILTY)
            ? Future.failedFuture("guilty")
            : sent == 1
                ? Future.failedFuture("busy")
                : Future.succeededFuture(ControlledStatement.fulfilled(commands));
      }

      @Override
      public StatementFailures failures() {
        return new Elsewhere();
      }
    };
    CommandBatcher<String, String> gatherer = new CommandBatcher<>(
        vertx, new StatementSlots(context, 1), "test", elsewhere, bounds(256, 100));

    List<Future<String>> submitted =
        List.of(gatherer.submit("a:1"), gatherer.submit(GUILTY), gatherer.submit("b:1"));

    assertThat(Database.done(submitted.get(0))).isEqualTo("done a:1");
    assertThat(Database.done(submitted.get(2))).isEqualTo("done b:1");
    assertThat(Database.failure(submitted.get(1))).hasMessage("elsewhere: guilty");
  }

  private static final class Elsewhere implements StatementFailures {
    @Override
    public RunlaneException of(String operation, Throwable failure) {
      return RunlaneException.validationFailed("elsewhere: %s", failure.getMessage());
    }

    @Override
    public boolean mayBeSentAgain(Throwable failure) {
      return "busy".equals(failure.getMessage());
    }

    @Override
    public boolean isRolledBack(Throwable failure) {
      return true;
    }

    @Override
    public boolean endsConnection(Throwable failure) {
      return false;
    }

    @Override
    public boolean isReadOnly(Throwable failure) {
      return false;
    }
  }

  @Test
  void commands_that_share_a_key_are_sent_one_after_the_other() {
    Promise<Void> gate = Promise.promise();
    ControlledStatement statement = ControlledStatement.behind(gate);
    CommandBatcher<String, String> gatherer = gatherer(statement, 2, 256, 100);

    List<Future<String>> submitted = List.of(
        gatherer.submit("a:1"),
        gatherer.submit("b:1:a"),
        gatherer.submit("b:2"),
        gatherer.submit("c:1"));
    settle();

    assertThat(statement.sent().stream().flatMap(List::stream)).containsExactly("a:1", "c:1");
    context.runOnContext(turn -> gate.complete());
    submitted.forEach(Database::done);
    assertThat(statement.sent().stream().flatMap(List::stream))
        .containsExactly("a:1", "c:1", "b:1:a", "b:2");
  }

  @Test
  void each_command_has_the_outcome_that_its_own_place_says() {
    RunlaneException lost = RunlaneException.conflict(StorageConflictKind.EVENT_SEQUENCE, "lost");
    ControlledStatement statement =
        new ControlledStatement(commands -> Future.succeededFuture(commands.stream()
            .map(command -> command.equals(GUILTY)
                ? (CommandOutcome<String>) new CommandOutcome.Failed<String>(lost)
                : new CommandOutcome.Succeeded<>("done " + command))
            .toList()));
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 256, 100);

    Future<String> guilty = gatherer.submit(GUILTY);
    Future<String> innocent = gatherer.submit("a:1");

    assertThat(Database.failure(guilty)).isSameAs(lost);
    assertThat(Database.done(innocent)).isEqualTo("done a:1");
  }

  @Test
  void a_statement_that_is_rolled_back_is_halved_until_the_guilty_command_stands_alone() {
    PgException fault = failure("22P05");
    Promise<Void> allSubmitted = Promise.promise();
    ControlledStatement statement = new ControlledStatement(
        commands -> allSubmitted.future().compose(done -> answer(commands, fault)));
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 256, 1_000);

    List<Future<String>> innocent = new ArrayList<>();
    IntStream.range(0, 37).forEach(i -> innocent.add(gatherer.submit("a" + i + ":1")));
    Future<String> guilty = gatherer.submit(GUILTY);
    IntStream.range(0, 62).forEach(i -> innocent.add(gatherer.submit("b" + i + ":1")));
    settle();
    context.runOnContext(turn -> allSubmitted.complete());

    RunlaneException failed = (RunlaneException) Database.failure(guilty);
    assertThat(failed.code()).isEqualTo(ErrorCode.INTERNAL_ERROR);
    assertThat(failed).hasCause(fault);
    innocent.forEach(Database::done);
    assertThat(statement.sent()).hasSizeLessThan(20);
  }

  @Test
  void a_command_that_others_keep_from_its_rows_is_sent_again() {
    List<Future<List<CommandOutcome<String>>>> answers = new ArrayList<>(List.of(
        Future.failedFuture(failure("40P01")),
        Future.failedFuture(failure("55P03")),
        Future.failedFuture(failure("0A000"))));
    ControlledStatement statement = new ControlledStatement(commands -> answers.isEmpty()
        ? Future.succeededFuture(ControlledStatement.fulfilled(commands))
        : answers.remove(0));

    Future<String> submitted = gatherer(statement, 1, 256, 100).submit("a:1");

    assertThat(Database.done(submitted)).isEqualTo("done a:1");
    assertThat(statement.sent()).hasSize(4);
  }

  @Test
  void a_command_that_is_kept_from_its_rows_keeps_nobody_else_from_theirs() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    CommandBatcher<String, String> gatherer = gatherer(
        guilty(failure("55P03")), new StatementSlots(context, 1, timers), bounds(256, 1_000));

    Future<String> guilty = gatherer.submit(GUILTY);
    for (String name : List.of("a", "b")) { // together with the guilty one, and later
      List<Future<String>> innocent =
          IntStream.range(0, 50).mapToObj(i -> gatherer.submit(name + i + ":1")).toList();
      settle();
      advance(timers, Duration.ofMillis(100));
      innocent.forEach(Database::done);
    }

    assertThat(guilty.isComplete()).isFalse();
  }

  @Test
  void a_command_behind_one_that_is_kept_from_its_rows_keeps_its_place() {
    List<Future<List<CommandOutcome<String>>>> answers = new ArrayList<>(
        List.of(Future.failedFuture(failure("55P03")), Future.failedFuture(failure("55P03"))));
    ControlledStatement statement =
        new ControlledStatement(commands -> commands.contains(GUILTY) && !answers.isEmpty()
            ? answers.remove(0)
            : Future.succeededFuture(ControlledStatement.fulfilled(commands)));
    CommandBatcher<String, String> gatherer = gatherer(statement, 2, 256, 100);

    Future<String> first = gatherer.submit(GUILTY);
    Future<String> behind = gatherer.submit("guilty:2");

    Database.done(behind);
    assertThat(first.isComplete()).isTrue();
    assertThat(statement.sent()).endsWith(List.of(GUILTY), List.of("guilty:2"));
  }

  @Test
  void a_lost_connection_fails_every_command_at_once_and_sends_none_again() {
    ControlledStatement statement = new ControlledStatement(
        commands -> Future.failedFuture(ClosedConnectionException.INSTANCE));
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 256, 100);

    List<Future<String>> submitted =
        IntStream.range(0, 10).mapToObj(i -> gatherer.submit("k" + i + ":1")).toList();

    for (Future<String> each : submitted) {
      RunlaneException failed = (RunlaneException) Database.failure(each);
      assertThat(failed.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    }
    assertThat(statement.sent().stream().mapToInt(List::size).sum()).isEqualTo(10);
  }

  @Test
  void a_statement_that_throws_or_answers_nothing_fails_its_commands_and_frees_its_slot() {
    ControlledStatement statement = new ControlledStatement(commands -> {
      if (commands.contains(GUILTY)) {
        throw new IllegalArgumentException("cannot be sent");
      }
      return commands.contains("short:1")
          ? Future.succeededFuture(List.of())
          : Future.succeededFuture(ControlledStatement.fulfilled(commands));
    });
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 1, 100);

    Future<String> thrown = gatherer.submit(GUILTY);
    Future<String> unanswered = gatherer.submit("short:1");
    Future<String> after = gatherer.submit("guilty:2");

    assertThat(Database.failure(thrown)).hasCauseInstanceOf(IllegalArgumentException.class);
    assertThat(Database.failure(unanswered)).isInstanceOf(RunlaneException.class);
    assertThat(Database.done(after)).isEqualTo("done guilty:2");
  }

  @Test
  void commands_beyond_the_bound_fail_at_once() {
    Promise<Void> gate = Promise.promise();
    ControlledStatement statement = ControlledStatement.behind(gate);
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 1, 3);
    Future<String> sent = gatherer.submit("a:0");
    settle();
    List<Future<String>> waiting =
        IntStream.range(1, 4).mapToObj(i -> gatherer.submit("a:" + i)).toList();

    RunlaneException failed = (RunlaneException) Database.failure(gatherer.submit("b:1"));

    assertThat(failed.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failed.isRetryable()).isTrue();
    context.runOnContext(turn -> gate.complete());
    Database.done(sent);
    waiting.forEach(Database::done);
  }

  @Test
  void commands_that_hold_more_than_the_bound_fail_and_room_comes_back() {
    Promise<Void> gate = Promise.promise();
    ControlledStatement statement = ControlledStatement.behind(gate).holding(10);
    CommandBatcher<String, String> gatherer =
        gatherer(statement, new StatementSlots(context, 1), new BatchLimits(1, 100, 20, SILENCE));
    Future<String> sent = gatherer.submit("a:0");
    settle();
    List<Future<String>> waiting = List.of(gatherer.submit("b:1"), gatherer.submit("c:1"));

    RunlaneException failed = (RunlaneException) Database.failure(gatherer.submit("d:1"));

    assertThat(failed.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failed.isRetryable()).isTrue();
    context.runOnContext(turn -> gate.complete());
    Database.done(sent);
    waiting.forEach(Database::done);
    List<Future<String>> later = List.of(gatherer.submit("e:1"), gatherer.submit("f:1"));
    later.forEach(Database::done);
  }

  @Test
  void a_command_that_alone_holds_more_than_the_bound_is_sent() {
    ControlledStatement statement = fulfilling().holding(1_000);

    Future<String> submitted = gatherer(
            statement, new StatementSlots(context, 1), new BatchLimits(1, 100, 20, SILENCE))
        .submit("a:1");

    assertThat(Database.done(submitted)).isEqualTo("done a:1");
  }

  @Test
  void a_statement_carries_no_more_than_it_may_unless_a_command_alone_does() {
    Promise<Void> gate = Promise.promise();
    long third = BatchLimits.MOST_BYTES_OF_A_STATEMENT / 3;
    ControlledStatement statement = ControlledStatement.behind(gate).holding(third);
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 256, 100);
    gatherer.submit("first:1"); // takes the slot, so that the others are gathered
    settle();

    List<Future<String>> submitted =
        IntStream.range(0, 8).mapToObj(i -> gatherer.submit("k" + i + ":1")).toList();
    settle();
    context.runOnContext(turn -> gate.complete());

    submitted.forEach(Database::done);
    assertThat(statement.sent()).extracting(List::size).containsExactly(1, 3, 3, 2);
  }

  @Test
  void what_waits_for_a_database_that_answers_nothing_fails_and_what_was_sent_in_the_end() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    ControlledStatement statement = ControlledStatement.behind(Promise.promise());
    CommandBatcher<String, String> gatherer =
        gatherer(statement, new StatementSlots(context, 1, timers), bounds(1, 100));
    Future<String> sent = gatherer.submit("a:1");
    settle();
    Future<String> waiting = gatherer.submit("b:1");
    settle();

    advance(timers, SILENCE.get().multipliedBy(3).dividedBy(4));
    assertThat(waiting.isComplete()).isFalse();
    Future<String> behind = gatherer.submit("c:1");
    settle();
    advance(timers, SILENCE.get().multipliedBy(5).dividedBy(8)); // it is looked at every quarter

    assertUnavailable(waiting);
    assertThat(Database.failure(waiting)).hasMessageContaining("the database has answered nothing");
    assertThat(behind.isComplete()).as("which waits since less long").isFalse();
    advance(timers, SILENCE.get().multipliedBy(3));
    assertUnavailable(sent);
    assertUnavailable(behind);
    Future<String> after = gatherer.submit("d:1");
    settle();
    assertThat(statement.sent()).as("the slot is free").endsWith(List.of("d:1"));
    assertThat(after.isComplete()).isFalse();
  }

  @Test
  void an_observer_is_told_of_each_statement_and_one_that_throws_harms_no_command() {
    List<String> told = new ArrayList<>();
    StatementObserver observer = new StatementObserver() {
      @Override
      public void slotTaken(String operation, Duration waited) {
        told.add(operation + " may be sent");
        throw new IllegalStateException("broken observer");
      }

      @Override
      public void statementEnded(
          String operation, int commands, Duration took, @Nullable Throwable failure) {
        told.add(operation + " of " + commands + (failure == null ? " is answered" : " failed"));
        throw new OutOfMemoryError("of a broken observer");
      }
    };
    CommandBatcher<String, String> gatherer =
        gatherer(fulfilling(), new StatementSlots(context, 1, observer), bounds(256, 100));

    Promise<Void> both = Promise.promise();
    context.runOnContext(turn -> Future.all(gatherer.submit("a:1"), gatherer.submit("b:1"))
        .<Void>mapEmpty()
        .onComplete(both));

    Database.done(both.future());
    assertThat(told).startsWith("testing may be sent", "testing of 2 is answered");
  }

  @Test
  void a_busy_database_lets_commands_wait() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    List<Promise<Void>> gates = new ArrayList<>();
    ControlledStatement statement = new ControlledStatement(commands -> {
      Promise<Void> gate = Promise.promise();
      gates.add(gate);
      return gate.future().map(open -> ControlledStatement.fulfilled(commands));
    });
    CommandBatcher<String, String> gatherer =
        gatherer(statement, new StatementSlots(context, 1, timers), bounds(1, 100));
    List<Future<String>> submitted =
        IntStream.range(0, 4).mapToObj(i -> gatherer.submit("k" + i + ":1")).toList();
    settle();

    for (int answered = 0; answered < 4; answered++) {
      advance(timers, SILENCE.get().multipliedBy(3).dividedBy(4));
      Promise<Void> gate = gates.get(answered);
      context.runOnContext(turn -> gate.complete());
      settle();
    }

    submitted.forEach(Database::done);
  }

  @Test
  void closed_slots_fail_what_waits_and_what_comes_as_closed() {
    Promise<Void> gate = Promise.promise();
    StatementSlots slots = new StatementSlots(context, 1);
    CommandBatcher<String, String> gatherer =
        gatherer(ControlledStatement.behind(gate), slots, bounds(1, 100));
    Future<String> sent = gatherer.submit("a:1");
    settle();
    Future<String> waiting = gatherer.submit("b:1");
    settle();

    slots.close();

    assertClosed(waiting);
    assertClosed(gatherer.submit("c:1"));
    context.runOnContext(turn -> gate.complete());
    assertThat(Database.done(sent)).isEqualTo("done a:1");
  }

  @Test
  void a_statement_that_an_operator_stopped_is_sent_once_and_not_in_parts() {
    ControlledStatement statement =
        new ControlledStatement(commands -> Future.failedFuture(failure("57014")));
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 256, 100);

    List<Future<String>> submitted =
        IntStream.range(0, 10).mapToObj(i -> gatherer.submit("k" + i + ":1")).toList();

    submitted.forEach(CommandBatcherTest::assertUnavailable);
    assertThat(statement.sent().stream().mapToInt(List::size).sum()).isEqualTo(10);
  }

  @Test
  void contention_is_over_after_ten_seconds() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    ControlledStatement statement = guilty(failure("55P03"));
    Future<String> guilty = gatherer(
            statement, new StatementSlots(context, 1, timers), bounds(256, 100))
        .submit(GUILTY);
    settle();

    Duration passed = Duration.ZERO;
    while (!guilty.isComplete() && passed.compareTo(Duration.ofMinutes(1)) < 0) {
      passed = passed.plusMillis(250);
      advance(timers, Duration.ofMillis(250));
    }

    assertUnavailable(guilty);
    assertThat(passed).isBetween(ContentionRetry.LONGEST, ContentionRetry.LONGEST.plusSeconds(1));
  }

  @Test
  void what_others_have_kept_from_its_rows_for_ten_seconds_is_not_sent_again() {
    assertGivenUpAfter(ContentionRetry.LONGEST, gatherer -> gatherer.submit("a:1"));
  }

  @Test
  void a_caller_with_less_patience_hears_sooner_that_others_keep_his_command_from_its_rows() {
    Duration patience = Duration.ofSeconds(1);
    assertGivenUpAfter(patience, gatherer -> gatherer.submit("a:1", patience));
  }

  private void assertGivenUpAfter(
      Duration longest, Function<CommandBatcher<String, String>, Future<String>> submit) {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    Promise<Void> second = Promise.promise();
    List<Future<Void>> answers =
        new ArrayList<>(List.of(Future.failedFuture(failure("55P03")), second.future()));
    ControlledStatement statement = new ControlledStatement(
        commands -> answers.remove(0).map(never -> ControlledStatement.fulfilled(commands)));
    Future<String> submitted =
        submit.apply(gatherer(statement, new StatementSlots(context, 1, timers), bounds(256, 100)));
    settle();

    advance(timers, longest);
    assertThat(statement.sent()).hasSize(2);
    context.runOnContext(turn -> second.fail(failure("55P03")));

    assertUnavailable(submitted);
  }

  @Test
  void the_pauses_before_a_contended_command_is_sent_again_double() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    List<Long> sentAtMillis = new CopyOnWriteArrayList<>();
    ControlledStatement statement = new ControlledStatement(commands -> {
      sentAtMillis.add(timers.elapsed().toMillis());
      return Future.failedFuture(failure("55P03"));
    });
    gatherer(statement, new StatementSlots(context, 1, timers), bounds(256, 100))
        .submit("a:1");
    settle();

    for (int pause = 0; pause < 4; pause++) {
      timers.advance(timers.untilNext().orElseThrow());
      settle();
    }

    assertThat(sentAtMillis).containsExactly(0L, 4L, 12L, 28L, 60L);
  }

  @Test
  void a_command_that_pauses_counts_as_one_that_waits_until_it_is_sent_again() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    ControlledStatement statement = contendedOnce(Promise.promise());
    CommandBatcher<String, String> gatherer =
        gatherer(statement, new StatementSlots(context, 1, timers), bounds(256, 1));
    gatherer.submit(GUILTY);
    settle();

    assertUnavailable(gatherer.submit("a:1"));
    advance(timers, Duration.ofSeconds(1));
    assertThat(statement.sent()).containsExactly(List.of(GUILTY), List.of(GUILTY));
    Future<String> next = gatherer.submit("a:2");
    settle();

    assertThat(next.isComplete()).as("refused").isFalse();
  }

  @Test
  void what_a_command_holds_that_pauses_counts_until_it_is_sent_again() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    Promise<Void> gate = Promise.promise();
    ControlledStatement statement = contendedOnce(gate).holding(10);
    CommandBatcher<String, String> gatherer = gatherer(
        statement, new StatementSlots(context, 1, timers), new BatchLimits(1, 100, 25, SILENCE));
    Future<String> pausing = gatherer.submit(GUILTY);
    settle();
    gatherer.submit("a:1"); // takes the slot
    settle();
    Future<String> behind = gatherer.submit("b:1");

    assertUnavailable(gatherer.submit("c:1"));
    advance(timers, Duration.ofSeconds(1));
    context.runOnContext(turn -> gate.complete());
    Database.done(pausing);
    Database.done(behind);
    statement.stopAnswering();
    gatherer.submit("d:1"); // takes the slot
    settle();
    List<Future<String>> waiting = List.of(gatherer.submit("e:1"), gatherer.submit("f:1"));
    settle();

    assertThat(waiting).as("refused").noneMatch(Future::isComplete);
  }

  @Test
  void what_waits_fails_when_nothing_was_answered_for_exactly_as_long_as_may_be() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    ControlledStatement statement = ControlledStatement.behind(Promise.promise());
    CommandBatcher<String, String> gatherer =
        gatherer(statement, new StatementSlots(context, 1, timers), bounds(1, 100));
    gatherer.submit("a:1");
    Future<String> waiting = gatherer.submit("b:1");
    settle();

    advance(timers, SILENCE.get());
    settle();

    assertThat(waiting.failed()).isTrue();
    assertUnavailable(waiting);
  }

  @Test
  void what_failed_because_of_a_silent_database_holds_no_room_any_more() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    ControlledStatement statement =
        ControlledStatement.behind(Promise.promise()).holding(10);
    CommandBatcher<String, String> gatherer = gatherer(
        statement, new StatementSlots(context, 1, timers), new BatchLimits(1, 100, 20, SILENCE));
    gatherer.submit("a:1");
    settle();
    Future<String> silent = gatherer.submit("b:1");
    settle();
    advance(timers, SILENCE.get());
    assertUnavailable(silent);

    List<Future<String>> waiting = List.of(gatherer.submit("c:1"), gatherer.submit("d:1"));
    settle();

    assertThat(waiting).as("refused").noneMatch(Future::isComplete);
  }

  @Test
  void a_connection_that_is_lost_is_no_answer_but_a_refusal_of_the_database_is() {
    assertThat(failsWhatWaits(ClosedConnectionException.INSTANCE)).isTrue();
    assertThat(failsWhatWaits(failure("22P05"))).isFalse();
    assertThat(failsWhatWaits(failure("55P03"))).isFalse();
  }

  /** Whether this failure, and nothing else for the longest silence, makes what waits meanwhile fail. */
  private boolean failsWhatWaits(Throwable failure) {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    Promise<Void> first = Promise.promise();
    ControlledStatement statement = new ControlledStatement(
        commands -> (commands.contains("a:1") ? first : Promise.<Void>promise())
            .future()
            .map(never -> ControlledStatement.fulfilled(commands)));
    CommandBatcher<String, String> gatherer =
        gatherer(statement, new StatementSlots(context, 1, timers), bounds(1, 100));
    List.of("a:1", "b:1", "c:1").forEach(gatherer::submit);
    Future<String> waiting = gatherer.submit("d:1");
    settle();

    for (int look = 1; look < 4; look++) {
      timers.advance(SILENCE.get().dividedBy(4));
      settle();
    }
    context.runOnContext(turn -> first.fail(failure));
    settle();
    timers.advance(SILENCE.get().dividedBy(4));
    settle();
    return waiting.isComplete();
  }

  @Test
  void a_few_commands_beside_many_wait_for_others_until_they_are_half_as_many() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    ControlledStatement statement = ControlledStatement.behind(Promise.promise());
    CommandBatcher<String, String> gatherer =
        gatherer(statement, new StatementSlots(context, 2, timers), bounds(256, 100));
    gatherer.submitAll(numbered("many", 16));
    settle();

    List<String> few = numbered("few", 8);
    gatherer.submitAll(few.subList(0, 7));
    settle();
    assertThat(statement.sent()).extracting(List::size).containsExactly(16);
    gatherer.submit(few.get(7));
    settle();

    assertThat(statement.sent()).hasSize(2).endsWith(few);
  }

  @Test
  void a_few_commands_beside_many_wait_five_milliseconds_at_most() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    ControlledStatement statement = ControlledStatement.behind(Promise.promise());
    CommandBatcher<String, String> gatherer =
        gatherer(statement, new StatementSlots(context, 2, timers), bounds(256, 100));
    gatherer.submitAll(numbered("many", 16));
    settle();
    gatherer.submit("few:1");
    settle();

    advance(timers, Duration.ofMillis(4));
    assertThat(statement.sent()).hasSize(1);
    advance(timers, Duration.ofMillis(1));

    assertThat(statement.sent()).hasSize(2).endsWith(List.of("few:1"));
  }

  @Test
  void
      a_command_after_many_that_were_answered_waits_a_millisecond_for_others_and_the_next_for_none() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    ControlledStatement statement = fulfilling();
    CommandBatcher<String, String> gatherer =
        gatherer(statement, new StatementSlots(context, 2, timers), bounds(256, 100));
    Database.done(gatherer.submitAll(numbered("many", 16)));

    Future<String> first = gatherer.submit("first:1");
    settle();
    assertThat(first.isComplete()).isFalse();
    advance(timers, Duration.ofMillis(1));
    Database.done(first);
    Future<String> second = gatherer.submit("second:1");
    settle();

    assertThat(second.isComplete()).isTrue();
  }

  @Test
  void a_command_beside_a_few_does_not_wait() {
    ControlledStatement statement = ControlledStatement.behind(Promise.promise());
    CommandBatcher<String, String> gatherer = gatherer(statement, 2, 256, 100);
    gatherer.submitAll(numbered("some", 7));
    settle();

    gatherer.submit("one:1");
    settle();

    assertThat(statement.sent()).hasSize(2).endsWith(List.of("one:1"));
  }

  private static List<String> numbered(String name, int commands) {
    return IntStream.range(0, commands).mapToObj(i -> name + i + ":1").toList();
  }

  @Test
  void an_answered_statement_leaves_no_timer_behind() {
    ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
    CommandBatcher<String, String> gatherer =
        gatherer(fulfilling(), new StatementSlots(context, 1, timers), bounds(256, 100));

    Database.done(gatherer.submit("a:1"));
    advance(timers, SILENCE.get().dividedBy(4)); // the look at what waits is the last one

    assertThat(timers.pending()).isZero();
  }

  @Test
  void a_command_that_comes_while_a_statement_is_about_to_go_out_goes_with_it() {
    ControlledStatement statement = fulfilling();
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 256, 100);

    context.runOnContext(turn -> {
      gatherer.submit("a:1");
      context.runOnContext(taken -> gatherer.submit("b:1"));
    });
    settle();

    assertThat(statement.sent()).containsExactly(List.of("a:1", "b:1"));
  }

  @Test
  void a_gatherer_with_much_to_send_lets_another_have_the_next_slot() {
    Promise<Void> gate = Promise.promise();
    StatementSlots slots = new StatementSlots(context, 1);
    ControlledStatement statement = ControlledStatement.behind(gate);
    CommandBatcher<String, String> busy = gatherer(statement, slots, bounds(1, 100));
    CommandBatcher<String, String> other = gatherer(statement, slots, bounds(1, 100));
    List<Future<String>> submitted = new ArrayList<>();
    for (int command = 0; command < 5; command++) {
      submitted.add(busy.submit("busy" + command + ":1"));
      settle();
    }
    submitted.add(other.submit("other:1"));
    settle();

    context.runOnContext(turn -> gate.complete());

    submitted.forEach(Database::done);
    assertThat(statement.sent().subList(1, 3))
        .as("after the first, which had the slot already")
        .containsExactly(List.of("busy1:1"), List.of("other:1"));
  }

  private void advance(ManualTimers timers, Duration step) {
    for (int part = 0; part < 4; part++) {
      timers.advance(step.dividedBy(4));
      settle();
    }
  }

  private static void assertUnavailable(Future<?> future) {
    RunlaneException failed = (RunlaneException) Database.failure(future);
    assertThat(failed.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failed.isRetryable()).isTrue();
  }

  private static void assertClosed(Future<?> future) {
    RunlaneException failed = (RunlaneException) Database.failure(future);
    assertThat(failed.code()).isEqualTo(ErrorCode.OPERATION_CANCELLED);
    assertThat(failed.isRetryable()).isFalse();
  }

  private static ControlledStatement fulfilling() {
    return new ControlledStatement(
        commands -> Future.succeededFuture(ControlledStatement.fulfilled(commands)));
  }

  @Test
  void a_future_completes_on_the_context_that_submitted_whatever_its_outcome() {
    ControlledStatement statement = guilty(failure("22P05"));
    CommandBatcher<String, String> gatherer = gatherer(statement, 1, 256, 100);
    Context caller = vertx.getOrCreateContext();

    assertThat(Database.done(completedOn(caller, gatherer, "a:1"))).isSameAs(caller);
    assertThat(Database.done(completedOn(caller, gatherer, GUILTY))).isSameAs(caller);
  }

  @Test
  void gatherers_that_share_slots_all_get_their_turn() {
    Promise<Void> gate = Promise.promise();
    StatementSlots slots = new StatementSlots(context, 1);
    ControlledStatement one = ControlledStatement.behind(gate);
    ControlledStatement other = ControlledStatement.behind(gate);
    CommandBatcher<String, String> first =
        new CommandBatcher<>(vertx, slots, "first", one, bounds(2, 100));
    CommandBatcher<String, String> second =
        new CommandBatcher<>(vertx, slots, "second", other, bounds(2, 100));

    List<Future<String>> submitted = new ArrayList<>();
    IntStream.range(0, 20).forEach(i -> {
      submitted.add(first.submit("a" + i + ":1"));
      submitted.add(second.submit("b" + i + ":1"));
    });
    context.runOnContext(turn -> gate.complete());

    submitted.forEach(Database::done);
    assertThat(one.sent().stream().mapToInt(List::size).sum()).isEqualTo(20);
    assertThat(other.sent().stream().mapToInt(List::size).sum()).isEqualTo(20);
  }

  private static Future<Context> completedOn(
      Context caller, CommandBatcher<String, String> gatherer, String command) {
    Promise<Context> completed = Promise.promise();
    caller.runOnContext(turn ->
        gatherer.submit(command).onComplete(ended -> completed.complete(Vertx.currentContext())));
    return completed.future();
  }

  private CommandBatcher<String, String> gatherer(
      ControlledStatement statement, int slots, int maxCommands, int maxPending) {
    return gatherer(statement, new StatementSlots(context, slots), bounds(maxCommands, maxPending));
  }

  private CommandBatcher<String, String> gatherer(
      ControlledStatement statement, StatementSlots slots, BatchLimits bounds) {
    return new CommandBatcher<>(vertx, slots, "testing", statement, bounds);
  }

  private static BatchLimits bounds(int maxCommands, int maxPending) {
    return new BatchLimits(maxCommands, maxPending, Long.MAX_VALUE, () -> Duration.ofMinutes(1));
  }

  /** Keeps the guilty command from its rows when it is sent first, and fulfils all later ones behind the gate. */
  private static ControlledStatement contendedOnce(Promise<Void> gate) {
    List<PgException> once = new ArrayList<>(List.of(failure("55P03")));
    return new ControlledStatement(commands -> once.isEmpty()
        ? gate.future().map(open -> ControlledStatement.fulfilled(commands))
        : Future.failedFuture(once.remove(0)));
  }

  /** Fulfils every command unless the guilty one is among them. */
  private static ControlledStatement guilty(Throwable failure) {
    return new ControlledStatement(commands -> answer(commands, failure));
  }

  private static Future<List<CommandOutcome<String>>> answer(
      List<String> commands, Throwable failure) {
    return commands.contains(GUILTY)
        ? Future.failedFuture(failure)
        : Future.succeededFuture(ControlledStatement.fulfilled(commands));
  }

  private static PgException failure(String sqlState) {
    return new PgException("as Postgres says it", "ERROR", sqlState, null);
  }

  /** Returns once the gatherers' context has done what was asked of it so far, in several turns. */
  private void settle() {
    for (int turn = 0; turn < 5; turn++) {
      Promise<Void> reached = Promise.promise();
      context.runOnContext(done -> reached.complete());
      Database.done(reached.future());
    }
  }
}
