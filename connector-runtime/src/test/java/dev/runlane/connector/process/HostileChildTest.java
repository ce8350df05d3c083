package dev.runlane.connector.process;

import static dev.runlane.connector.process.Children.await;
import static dev.runlane.connector.process.Children.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.process.Children.Collected;
import dev.runlane.connector.process.line.OutputEnd;
import dev.runlane.connector.process.line.StderrTail;
import dev.runlane.connector.process.os.ProcFiles;
import dev.runlane.connector.process.os.ProcessIdentity;
import dev.runlane.connector.process.os.Signals;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.WorkerExecutor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a hostile child process")
class HostileChildTest {
  private static final String STUBBORN =
      "(trap \"\" TERM; exec sleep %s) &"; // within single quotes

  /** A length of sleep by which this test's processes are known. */
  private final String nap = "9" + System.nanoTime() % 1_000_000_000;

  /** Longer than any machine needs to see that a process has left. */
  private static final Duration AMPLE = Duration.ofSeconds(30);

  /** Of virtual time, which passes in steps: one for each look at what is waited for. */
  private static final Duration LONG = Duration.ofMinutes(10);

  private static final Duration STEP = Duration.ofMillis(100);

  private final ManualTimers time = new ManualTimers(ManualClock.at(Instant.EPOCH));
  private Children children = new Children();

  @AfterEach
  void close() {
    children.close();
    assertThat(Children.processesWith("sleep " + nap)).isEmpty();
  }

  @Test
  void that_leaves_when_asked_is_not_forced() {
    grace(AMPLE);
    Collected child = up("trap 'exit 9' TERM; echo up; while :; do sleep 0.01; done");

    assertThat(terminate(child)).isEqualTo(new Termination(false, false));
    assertThat(child.exitCode()).isEqualTo(9);
    child.awaitGone();
  }

  @Test
  void that_ignores_the_request_is_killed_after_the_grace() {
    Collected child = up("trap '' TERM; echo up; while :; do sleep " + nap + "; done");

    assertThat(terminate(child).forced()).isTrue();
    assertThat(child.exitCode()).isEqualTo(128 + 9);
    child.awaitGone();
  }

  @Test
  void has_its_grace_from_when_it_was_told_however_late_that_was() {
    virtualGrace(LONG);
    Collected child = up("trap 'exit 9' TERM; echo up; while :; do sleep 0.01; done");
    CountDownLatch free = new CountDownLatch(1);
    WorkerExecutor workers =
        children.vertx.createSharedWorkerExecutor("runlane-child-processes"); // those that signal
    for (int worker = 0; worker < 4; worker++) {
      workers.executeBlocking(
          () -> {
            free.await();
            return null;
          },
          false);
    }
    Future<Termination> gone = terminating(child);
    pass(LONG.plusSeconds(1));

    free.countDown();

    assertThat(passing(STEP, gone)).isEqualTo(new Termination(false, false));
    assertThat(child.exitCode()).isEqualTo(9);
    await(workers.close());
  }

  @Test
  void R10_S4_that_records_a_trace_has_the_time_to_write_it() {
    assertThat(new ChildProcessOptions().getTracedTerminationGrace())
        .isEqualTo(Duration.ofSeconds(10));
    children.close();
    children = new Children(new ChildProcessOptions().setTracedTerminationGrace(AMPLE));
    Map<String, String> traced = Children.environment();
    traced.put("PDPP_TRACE", "1");
    String slow = "trap 'sleep %s; exit 143' TERM; echo up; while :; do sleep 0.01; done";
    ChildProcess<String> child = children.launch(
        new ChildCommand(List.of("sh", "-c", slow.formatted("0.5")), Children.HERE, traced));
    Collected collected = new Collected(child);
    children.open(child, collected);
    collected.awaitLine("up");

    assertThat(terminate(collected).forced()).isFalse();
    assertThat(collected.exitCode()).isEqualTo(143);
    assertThat(terminate(up(slow.formatted(nap))).forced())
        .as("one that records none")
        .isTrue();
  }

  @Test
  void whose_grandchild_ignores_the_request_loses_it_and_is_not_forced_itself() {
    virtualGrace(LONG); // the grandchild has all of it
    Collected child = up("trap 'exit 0' TERM; (trap '' TERM; echo up; exec sleep " + nap
        + ") & while :; do sleep 0.01; done");

    Future<Termination> gone = terminating(child);
    assertThat(child.exitCode()).isZero();

    assertThat(passing(LONG, gone)).isEqualTo(new Termination(false, true));
    passing(STEP, child.child.ended());
  }

  @Test
  void whose_descendants_need_a_while_to_leave_is_gone_with_the_last_of_them() {
    virtualGrace(LONG);
    Collected child = up("trap 'exit 0' TERM; "
        + "sh -c 'trap \"sleep 0.2; exit 0\" TERM; echo up; while :; do sleep 0.01; done' & "
        + "while :; do sleep 0.01; done");

    Future<Termination> gone = terminating(child);

    assertThat(passing(STEP, gone)).isEqualTo(new Termination(false, false));
    assertThat(time.elapsed()).as("the grace is not over").isLessThan(LONG);
    passing(STEP, child.child.ended());
  }

  @Test
  void whose_descendants_left_its_group_and_their_parent_loses_them() {
    Collected child = up("setsid sh -c '" + STUBBORN.formatted(nap) + "'; echo up; wait");

    terminate(child);

    child.awaitGone();
    assertThat(Children.processesWith("sleep " + nap)).isEmpty();
  }

  @Test
  void that_exits_loses_the_descendants_that_hold_its_output() {
    Collected child = children.run("sleep " + nap + " & echo done; exit 3");

    assertThat(child.exitCode()).isEqualTo(3);
    assertThat(child.awaitEnd()).isEqualTo(new OutputEnd.EndOfFile());
    assertThat(child.text()).isEqualTo("done\n");
    child.awaitGone();
  }

  @Test
  void whose_descendant_hid_itself_but_holds_its_output_loses_it() {
    Collected child =
        children.run("env -i PATH=\"$PATH\" setsid sleep " + nap + " & sleep 0.1; echo done");

    assertThat(child.awaitEnd()).isEqualTo(new OutputEnd.EndOfFile());
    assertThat(child.text()).isEqualTo("done\n");
    child.awaitGone();
  }

  @Test
  void whose_descendant_hid_itself_and_holds_nothing_loses_it_when_its_input_ends() {
    Collected child = children.run("env -i PATH=\"$PATH\" setsid sleep " + nap
        + " <&- >&- 2>&- & echo up; while read -r line; do :; done; exit 0");
    child.awaitLine("up");
    assertThat(waitUntil(() -> sleepers().stream().anyMatch(this::isOnItsOwn))).isTrue();

    children.onContext(() -> {
      child.child.closeStdin();
      return Future.succeededFuture(true);
    });

    assertThat(child.exitCode()).isZero();
    child.awaitGone();
    assertThat(sleepers()).isEmpty();
  }

  @Test
  void whose_descendant_hid_itself_and_holds_nothing_loses_it_when_it_is_told_to_leave() {
    Collected child = up("env -i PATH=\"$PATH\" setsid sh -c 'trap \"\" TERM; exec sleep " + nap
        + "' <&- >&- 2>&- & trap 'exit 0' TERM; echo up; while :; do sleep 0.01; done");
    assertThat(waitUntil(() -> sleepers().stream().anyMatch(this::isOnItsOwn))).isTrue();

    terminate(child);

    child.awaitGone();
    assertThat(sleepers()).isEmpty();
  }

  @Test
  void whose_descendant_forked_twice_loses_it_by_the_mark_it_carries() {
    Collected child = children.run("(setsid sh -c 'sleep " + nap + " <&- >&- 2>&- &' &) ; echo up;"
        + " while read -r line; do :; done");
    child.awaitLine("up");
    assertThat(waitUntil(() -> !sleepers().isEmpty())).isTrue();

    children.onContext(() -> {
      child.child.closeStdin();
      return Future.succeededFuture(true);
    });

    child.awaitGone();
    assertThat(sleepers()).isEmpty();
  }

  @Test
  void whose_hidden_descendant_floods_on_ends_too() {
    ChildProcess<String> child = children.launch(
        Children.shell("env -i PATH=\"$PATH\" setsid yes & sleep 0.1; kill -s KILL $$"));
    children.open(child, batch -> Future.succeededFuture());

    assertThat(await(child.exit())).isEqualTo(128 + 9);
    await(child.ended());
  }

  @Test
  void that_closes_its_output_early_ends_by_its_exit() {
    Collected child = children.run("echo one; exec >&-; read -r line; exit 4");
    assertThat(child.awaitEnd()).isEqualTo(new OutputEnd.EndOfFile());
    assertThat(child.child.exit().isComplete()).isFalse();

    children.onContext(() -> child.child.send(new byte[] {'x'}));

    assertThat(child.exitCode()).isEqualTo(4);
    child.awaitGone();
  }

  @Test
  void that_floods_its_standard_error_is_read_and_little_is_kept() {
    Collected child = children.run("yes | head -c 30000000 >&2; echo done");

    child.awaitGone();
    assertThat(child.text()).isEqualTo("done\n");
    StderrTail tail = child.child.stderrTail();
    assertThat(tail.bytesObserved()).isEqualTo(30_000_000);
    assertThat(tail.text()).hasSize(16 << 10);
  }

  @Test
  void that_forks_on_and_on_ends() {
    Collected child = up("echo up; while :; do (sleep " + nap + ") & done");

    terminate(child);

    child.awaitGone();
  }

  @Test
  void that_writes_more_than_a_run_may_is_read_no_further() {
    try (Children bounded = new Children(new ChildProcessOptions().setMaxOutputBytes(1_000_000))) {
      ChildProcess<String> child = bounded.launch(Children.shell("yes"));
      bounded.open(child, new Collected(child));

      assertThat(await(child.outputEnd())).isEqualTo(new OutputEnd.TooMuchOutput(1_000_000));
      await(child.ended()); // by the broken pipe
    }
  }

  @Tag("full")
  @Test
  void a_gigabyte_of_lines_passes_through_a_small_heap() throws Exception {
    String counted = inHeapOf(
        "48m",
        "yes '{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"1\",\"data\":{\"isbn\":\"1\"}}'"
            + " | head -c 1000000000");

    assertThat(counted).isEqualTo("15384616 lines, 984615385 bytes, EndOfFile[]");
  }

  @Test
  void a_line_of_a_hundred_megabytes_is_too_long_and_memory_stays_bounded() throws Exception {
    String counted =
        inHeapOf("256m", "echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last");

    assertThat(counted).isEqualTo("1 lines, 5 bytes, LineTooLong[limit=67108864, number=2]");
  }

  @Test
  void none_outlives_a_controller_that_is_killed() throws Exception {
    String hidden = "setsid sh -c '" + STUBBORN.formatted(nap) + "'; echo up; wait";
    try (Killed killed = new Killed(
        "echo up; sleep " + nap,
        "trap '' TERM; echo up; while :; do sleep " + nap + "; done",
        hidden,
        "gate:sleep " + nap)) {
      assertThat(killed.children).hasSize(4);
      assertThat(Children.processesWith("sleep " + nap)).isNotEmpty();

      killed.kill();

      assertThat(waitUntil(() -> killed.children.stream()
              .allMatch(pid -> children.processes.host().find(pid).isEmpty())))
          .isTrue();
      assertThat(waitUntil(() -> Children.processesWith("sleep " + nap).isEmpty()))
          .isTrue();
      assertThat(waitUntil(() -> killed.guards().isEmpty()))
          .as("the guard leaves too")
          .isTrue();
    }
  }

  @Test
  void none_outlives_the_next_controller_when_the_guard_was_killed_too() throws Exception {
    try (Killed killed = new Killed(
        "echo up; sleep " + nap,
        "setsid sh -c '" + STUBBORN.formatted(nap)
            + "'; echo up; env -u RUNLANE_CHILD_MARKER sleep " + nap)) {
      assertThatThrownBy(() -> terminateOrphans(killed.controller, "run_1"))
          .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
              .isEqualTo(ErrorCode.INVARIANT_VIOLATION));
      assertThat(waitUntil(() -> killed.guards().size() == 1)).isTrue();
      kill(killed.guards());
      killed.kill();
      assertThat(waitUntil(() -> Children.processesWith("sleep " + nap).size() >= 3))
          .isTrue();

      assertThat(terminateOrphans(killed.controller, "run_1")).isTrue();
      assertThat(terminateOrphans(killed.controller, "run_2")).isTrue();

      assertThat(terminateOrphans(killed.controller, "run_1")).isFalse();
      assertThat(Children.processesWith("sleep " + nap)).isEmpty();
    }
  }

  @Test
  void a_guard_that_was_killed_is_replaced_with_the_next_child() throws Exception {
    Collected first = up("echo up; sleep " + nap);
    assertThat(waitUntil(() -> guardsOf(children.processes.self()).size() == 1)).isTrue();
    List<Long> guard = guardsOf(children.processes.self());

    kill(guard);
    Collected second = up("echo up; sleep " + nap);

    assertThat(waitUntil(() -> guardsOf(children.processes.self()).size() == 1)).isTrue();
    assertThat(guardsOf(children.processes.self())).doesNotContainAnyElementsOf(guard);
    terminate(first);
    terminate(second);
  }

  @Test
  void a_controller_that_closes_ends_its_children_and_its_guard() {
    Children closed = new Children();
    Collected child = closed.run("trap '' TERM; echo up; while :; do sleep " + nap + "; done");
    child.awaitLine("up");

    closed.close();

    assertThat(ProcFiles.stat(child.child.identity().pid())).isEmpty();
  }

  private List<Long> sleepers() {
    return Children.processesWith("sleep " + nap).stream()
        .filter(pid -> Children.commandLineOf(pid).startsWith("sleep"))
        .toList();
  }

  /** Leads a session, and carries nothing of the run's environment. */
  private boolean isOnItsOwn(long pid) {
    return ProcFiles.stat(pid).filter(stat -> stat.session() == pid).isPresent()
        && !ProcFiles.hasVariable(pid, ChildEnvironment.MARKER);
  }

  private Collected up(String script) {
    Collected child = children.run(script);
    child.awaitLine("up");
    return child;
  }

  private void grace(Duration grace) {
    children.close();
    children = new Children(new ChildProcessOptions().setTerminationGrace(grace));
  }

  /** The same in a time that passes only where the test says so. */
  private void virtualGrace(Duration grace) {
    children.close();
    children = new Children(new ChildProcessOptions().setTerminationGrace(grace), time);
  }

  private Termination terminate(Collected child) {
    return children.onContext(child.child::terminate);
  }

  private Future<Termination> terminating(Collected child) {
    Promise<Termination> gone = Promise.promise();
    children.onContext(() -> {
      child.child.terminate().onComplete(gone);
      return Future.succeededFuture(true);
    });
    return gone.future();
  }

  private void pass(Duration virtual) {
    children.onContext(() -> {
      time.advance(virtual);
      return Future.succeededFuture(true);
    });
  }

  /** What it comes to while virtual time passes in such steps. */
  private <T> T passing(Duration step, Future<T> awaited) {
    assertThat(waitUntil(() -> {
          pass(step);
          return awaited.isComplete();
        }))
        .isTrue();
    return await(awaited);
  }

  private boolean terminateOrphans(ProcessIdentity controller, String runId) {
    return await(children.processes.terminateOrphans(controller, runId));
  }

  /** Until they have let go of all that they had open: one that is ending has no command line any more before. */
  private void kill(List<Long> pids) {
    Signals.send("KILL", pids);
    assertThat(waitUntil(() ->
            pids.stream().allMatch(pid -> children.processes.host().find(pid).isEmpty())))
        .isTrue();
  }

  private static List<Long> guardsOf(ProcessIdentity controller) {
    return Children.processesWith("runlane-guard " + ChildMarks.startOfVariable(controller));
  }

  private static String inHeapOf(String heap, String script) throws Exception {
    Process jvm = java(List.of("-Xmx" + heap), Controller.Counting.class, script);
    String said = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(jvm.waitFor()).as(said).isZero();
    return said;
  }

  private static Process java(List<String> options, Class<?> program, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of(
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        "-cp",
        System.getProperty("java.class.path"),
        program.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** A controller in another process, to be killed. */
  private static final class Killed implements AutoCloseable {
    final ProcessIdentity controller;
    final List<Long> children = new ArrayList<>();

    private final Process jvm;

    Killed(String... scripts) throws IOException {
      jvm = java(List.of("-Xmx64m"), Controller.class, scripts);
      BufferedReader said =
          new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8));
      String[] self = said.readLine().split(" ");
      controller =
          new ProcessIdentity(self[1], self[2], Long.parseLong(self[3]), Long.parseLong(self[4]));
      for (String line = said.readLine(); !line.equals("ready"); line = said.readLine()) {
        children.add(Long.parseLong(line.substring("child ".length())));
      }
    }

    List<Long> guards() {
      return guardsOf(controller);
    }

    void kill() {
      await(Future.fromCompletionStage(jvm.destroyForcibly().onExit()));
    }

    @Override
    public void close() {
      kill();
    }
  }
}
