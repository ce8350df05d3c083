package dev.runlane.cli.application;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.RecordedConsole;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.DispatchMode;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@DisplayName("a pass of runlane tick")
@DisplayNameGeneration(ReplaceUnderscores.class)
class TickCommandTest {
  private static final String DATABASE =
      PostgresServers.shared().createDatabase("passes").toUri();
  private static final AtomicInteger SCHEMAS = new AtomicInteger();

  private final Vertx vertx = Vertx.vertx();
  private final RecordedConsole console = new RecordedConsole();
  private final Promise<Void> begun = Promise.promise();
  private final Promise<TaskResult> ended = Promise.promise();
  private final CompletableFuture<Void> released = new CompletableFuture<>();
  private boolean isPublishing = true;
  private Runlane runlane;

  /** Begins and ends as the test says; "now" ends at once, "blocked" blocks the event loop. */
  private final Task<String> task = Task.define("task", String.class).handler((text, context) -> {
    if (text.equals("now")) {
      return Future.succeededFuture(TaskResult.done());
    }
    begun.tryComplete();
    if (text.equals("blocked")) {
      released.join();
    }
    return ended.future();
  });

  @BeforeEach
  void start() throws Exception {
    runlane = runtime(vertx, new RunlaneOptions());
    runlane.start().await(60, SECONDS);
  }

  private Runlane runtime(Vertx vertx, RunlaneOptions options) {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx,
        new PgStorageOptions()
            .setSchema("pass_" + SCHEMAS.incrementAndGet())
            .setConnectOptions(PgConnectOptions.fromUri(DATABASE)));
    TransportAdapter transport = storage.notifyTransport();
    TransportAdapter breaking = RecordedConsole.answering(
        TransportAdapter.class,
        (proxy, method, arguments) -> method.getName().equals("publishWakeups") && !isPublishing
            ? Future.failedFuture(RunlaneException.unavailable(
                ErrorCode.TRANSPORT_UNAVAILABLE, null, "the broker is away"))
            : method.invoke(transport, arguments));
    return Runlane.builder(vertx, Lanes.create(storage, breaking))
        .options(options)
        .queues(List.of(TaskQueue.of("default").asDefault()))
        .tasks(List.of(task))
        .build();
  }

  @AfterEach
  void end() throws Exception {
    ended.tryComplete(TaskResult.done());
    runlane.close().await(60, SECONDS);
    vertx.close().await(60, SECONDS);
  }

  private TickCommand tick(String runs) {
    TickCommand command = new TickCommand(console.patient());
    new CommandLine(command).parseArgs("--classpath", "x", "--runs", runs);
    return command;
  }

  private void trigger(String payload) throws Exception {
    runlane
        .trigger(task, payload, new TriggerOptions().setDispatch(DispatchMode.DEFERRED))
        .await(60, SECONDS);
  }

  @Test
  void an_attempt_may_take_longer_than_the_start_of_a_program() throws Exception {
    trigger("long");
    TickCommand command = tick("1");
    command.longestStart = Duration.ofMillis(1);
    begun.future().onSuccess(started -> vertx
        .timer(50, MILLISECONDS)
        .onSuccess(later -> ended.complete(TaskResult.done())));

    assertThat(command.pass(runlane)).isEqualTo(OperatorExit.FINDINGS);

    assertThat(console.out()).contains("1 attempts, the run now succeeded\n");
  }

  @Test
  void a_handler_that_blocks_its_event_loop_keeps_no_command_from_its_end() throws Exception {
    TickCommand command = tick("1");
    command.closeGrace = Duration.ZERO;
    Vertx ofOneLoop = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    CompletableFuture<OperatorExit> end = CompletableFuture.supplyAsync(
        () -> command.with(blocked(ofOneLoop), runtime -> OperatorExit.INTERRUPTED));
    try {
      assertThat(end.get(60, SECONDS)).isEqualTo(OperatorExit.INTERRUPTED);
    } finally {
      released.complete(null);
      ofOneLoop.close().await(60, SECONDS);
    }

    assertThat(console.err()).isEqualTo("runlane: the runtime did not close within 0 s\n");
  }

  /** A runtime of which an attempt blocks the event loop. */
  private Runlane blocked(Vertx vertx) {
    Runlane blocked = runtime(vertx, new RunlaneOptions().setCloseTimeout(Duration.ofMillis(1)));
    blocked.start().await();
    blocked.runNow(task, "blocked");
    begun.future().await();
    return blocked;
  }

  @Test
  void ctrl_c_in_an_attempt_tells_what_was_done_before() throws Exception {
    trigger("now");
    trigger("long");
    begun.future().onSuccess(started -> console.interrupt());

    assertThatThrownBy(() -> tick("10").pass(runlane))
        .isInstanceOf(OperatorConsole.Interrupted.class);

    assertThat(console.out())
        .contains("1 attempts, the run now succeeded\n")
        .doesNotContain("Nothing more");
  }

  @Test
  void wakeups_that_the_transport_does_not_take_fail_the_pass() throws Exception {
    isPublishing = false;
    trigger("now");

    assertThat(tick("0").pass(runlane)).isEqualTo(OperatorExit.FAILED);

    assertThat(console.out()).contains("1 wakeups that failed\n").doesNotContain("Nothing more");
    assertThat(console.err())
        .isEqualTo("runlane: wakeups that could not be published: 1;"
            + " runlane outbox list --status failed, or dead_lettered, says why\n");
  }
}
