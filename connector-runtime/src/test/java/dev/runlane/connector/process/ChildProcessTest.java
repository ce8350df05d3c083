package dev.runlane.connector.process;

import static dev.runlane.connector.process.Children.await;
import static dev.runlane.connector.process.Children.environment;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.process.Children.Collected;
import dev.runlane.connector.process.line.LineDecoder;
import dev.runlane.connector.process.line.OutputEnd;
import dev.runlane.connector.process.line.StderrTail;
import dev.runlane.connector.process.line.WriteOutcome;
import dev.runlane.connector.process.os.ProcFiles;
import dev.runlane.connector.process.os.ProcessIdentity;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a child process")
class ChildProcessTest {
  private final Children children = new Children();

  @AfterEach
  void close() {
    children.close();
  }

  @Test
  void leads_its_own_group_and_session_under_its_own_pid() {
    Collected child = children.run("cut -d' ' -f1,5,6 /proc/$$/stat");

    assertThat(child.exitCode()).isZero();
    child.awaitEnd();
    long pid = child.child.identity().pid();
    assertThat(child.text()).isEqualTo("%s %s %s\n".formatted(pid, pid, pid));
  }

  @Test
  void begins_its_program_only_when_it_is_opened(@TempDir Path folder) {
    Path sign = folder.resolve("begun");
    ChildProcess<String> child =
        children.launch(Children.shell("touch '%s'; echo begun".formatted(sign)));
    assertThat(Children.commandLineOf(child.identity().pid())).contains("runlane-gate");
    assertThat(sign).doesNotExist();

    Collected collected = new Collected(child);
    children.open(child, collected);

    collected.awaitLine("begun");
    assertThat(sign).exists();
  }

  @Test
  void for_whose_pipes_no_thread_can_be_started_is_taken_back() {
    for (int started = 0; started < 3; started++) {
      AtomicInteger left = new AtomicInteger(started);
      ChildProcesses processes = new ChildProcesses(
          children.vertx, Timers.of(children.vertx), new ChildProcessOptions(), thread -> {
            if (left.getAndDecrement() == 0) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            thread.start();
          });
      await(processes.start());
      String mark = "mark-" + UUID.randomUUID();

      assertThatThrownBy(() -> children.onContext(() -> processes.launch(new ChildLaunch<>(
              "run_1", Children.shell("echo " + mark), Children.TEXT, UnaryOperator.identity()))))
          .isInstanceOfSatisfying(RunlaneException.class, failed -> assertThat(failed.code())
              .isEqualTo(ErrorCode.INTERNAL_ERROR));

      assertThat(Children.waitUntil(() -> Children.processesWith(mark).isEmpty()))
          .isTrue();
      await(processes.close());
    }
  }

  @Test
  void that_was_never_opened_can_be_ended() {
    ChildProcess<String> child = children.launch(Children.shell("echo begun"));

    children.onContext(child::terminate);

    await(child.ended());
    assertThat(ProcFiles.stat(child.identity().pid())).isEmpty();
  }

  @Test
  void hears_what_it_is_told_and_sees_the_end_of_its_input() {
    Collected child = children.run("while read -r line; do echo \"<$line>\"; done; echo end");

    assertThat(send(child, "{\"type\":\"START\"}")).isEqualTo(WriteOutcome.WRITTEN);
    assertThat(send(child, "two")).isEqualTo(WriteOutcome.WRITTEN);
    closeStdin(child);

    assertThat(child.awaitEnd()).isEqualTo(new OutputEnd.EndOfFile());
    assertThat(child.text()).isEqualTo("<{\"type\":\"START\"}>\n<two>\nend\n");
    assertThat(child.exitCode()).isZero();
  }

  @Test
  void tells_its_exit_code() {
    assertThat(children.run("exit 7").exitCode()).isEqualTo(7);
    assertThat(children.run("kill -s KILL $$").exitCode()).isEqualTo(128 + 9);
  }

  @Test
  void may_be_written_in_any_language() {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String node = "require('readline').createInterface({input: process.stdin})"
        + ".on('line', line => { console.log('heard ' + line); process.exit(3) })";

    for (List<String> command : List.of(
        List.of("node", "-e", node),
        List.of(
            java.toString(), "-cp", System.getProperty("java.class.path"), Echo.class.getName()))) {
      ChildProcess<String> child =
          children.launch(new ChildCommand(command, Children.HERE, environment()));
      Collected collected = new Collected(child);
      children.open(child, collected);

      send(collected, "a word");

      assertThat(collected.exitCode()).as(command.get(0)).isEqualTo(3);
      collected.awaitEnd();
      assertThat(collected.text()).isEqualTo("heard a word\n");
    }
  }

  @Test
  void sees_nothing_of_the_environment_but_what_it_was_given(@TempDir Path folder)
      throws Exception {
    Map<String, String> environment = environment();
    environment.put("SHELF_TOKEN", "s3cret value");
    ChildProcess<String> child = children.launch(
        new ChildCommand(List.of("/usr/bin/env"), folder.toRealPath(), environment));
    Collected collected = new Collected(child);
    children.open(child, collected);
    collected.awaitEnd();

    List<String> names =
        collected.text().lines().map(line -> line.split("=")[0]).toList();
    assertThat(names)
        .contains("PATH", "SHELF_TOKEN", ChildEnvironment.MARKER)
        .isSubsetOf("PATH", "SHELF_TOKEN", ChildEnvironment.MARKER, "PWD", "OLDPWD", "SHLVL", "_");
    assertThat(collected.text()).contains("SHELF_TOKEN=s3cret value\n");
  }

  @Test
  void that_cannot_be_started_fails_its_launch_and_leaves_nothing(@TempDir Path folder)
      throws Exception {
    long before = Children.settledOpenPipes();
    Files.writeString(folder.resolve("not-executable"), "#!/bin/sh\n");
    for (ChildCommand command : List.of(
        new ChildCommand(List.of("no-such-program"), folder, environment()),
        new ChildCommand(List.of("./not-executable"), folder, environment()),
        new ChildCommand(List.of("sh"), folder.resolve("missing"), environment()))) {

      assertThatThrownBy(() -> children.launch(command))
          .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
              .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    }
    Children.awaitOpenPipes(before);
  }

  @Test
  void command_lines_and_secrets_are_in_no_text_of_a_command() {
    Map<String, String> environment = environment();
    environment.put("SHELF_TOKEN", "s3cret");

    String text = new ChildCommand(List.of("sh", "--password=hunter2"), Children.HERE, environment)
        .toString();

    assertThat(text).doesNotContain("s3cret").doesNotContain("hunter2");
  }

  @Test
  void that_writes_while_it_is_told_much_does_not_deadlock() {
    // It writes 2 MiB before it reads a byte, and is sent 4 MiB meanwhile.
    Collected child =
        children.run("head -c 2097152 /dev/zero | tr '\\0' x | fold -w 1023; echo; wc -c; exit 0");

    Future<WriteOutcome> sent =
        children.onContext(() -> Future.succeededFuture(child.child.send(new byte[4 << 20])));
    closeStdin(child);

    assertThat(await(sent)).isEqualTo(WriteOutcome.WRITTEN);
    assertThat(child.awaitEnd()).isEqualTo(new OutputEnd.EndOfFile());
    assertThat(child.text()).endsWith((4 << 20) + 1 + "\n");
  }

  @Test
  void that_closed_its_input_is_told_nothing_and_hurts_nobody() {
    Collected child = children.run("exec <&-; echo closed; sleep 60");
    child.awaitLine("closed");

    assertThat(send(child, "x".repeat(1 << 20))).isEqualTo(WriteOutcome.STDIN_CLOSED);
    assertThat(send(child, "again")).isEqualTo(WriteOutcome.STDIN_CLOSED);

    children.onContext(child.child::terminate);
    child.awaitGone();
  }

  @Test
  void that_is_gone_is_told_nothing() {
    Collected child = children.run("exit 0");
    child.awaitGone();

    assertThat(send(child, "too late")).isEqualTo(WriteOutcome.STDIN_CLOSED);
  }

  @Test
  void that_leaves_at_once_has_not_refused_its_first_line() {
    for (int round = 0; round < 20; round++) {
      ChildProcess<String> child = children.launch(Children.shell("exit 0"));
      Collected collected = new Collected(child);

      WriteOutcome outcome = children.onContext(() -> child.open(collected, new byte[] {'{', '}'}));

      assertThat(outcome).isEqualTo(WriteOutcome.WRITTEN);
      collected.awaitGone();
    }
  }

  @Test
  void that_reads_nothing_has_a_bounded_queue() {
    try (Children bounded = new Children(new ChildProcessOptions().setMaxStdinBytes(100_000))) {
      ChildProcess<String> child = bounded.launch(Children.shell("sleep 60"));
      bounded.open(child, new Collected(child));

      List<Future<WriteOutcome>> sent = bounded.onContext(() -> Future.succeededFuture(List.of(
          child.send(new byte[1 << 20]), child.send(new byte[99_990]), child.send(new byte[20]))));

      assertThat(await(sent.get(2))).isEqualTo(WriteOutcome.QUEUE_FULL);
      bounded.onContext(child::terminate);
      assertThat(await(sent.get(0))).isEqualTo(WriteOutcome.STDIN_CLOSED);
    }
  }

  @Test
  void is_slowed_by_a_slow_handler_and_all_it_wrote_arrives_in_order() {
    int lines = 200_000;
    ChildProcess<String> child = children.launch(Children.shell("seq 1 " + lines));
    AtomicLong read = new AtomicLong();
    AtomicLong next = new AtomicLong(1);
    List<Promise<Void>> stuck = new ArrayList<>();
    Promise<Void> first = Promise.promise();
    children.open(child, batch -> {
      batch.items().forEach(line -> assertThat(line).isEqualTo("" + next.getAndIncrement()));
      if (stuck.isEmpty()) {
        stuck.add(Promise.promise());
        first.complete();
        return stuck.get(0).future();
      }
      return Future.succeededFuture();
    });
    await(first.future());
    assertThat(Children.waitUntil(() -> read.getAndSet(child.outputBytes()) == child.outputBytes()))
        .isTrue();
    assertThat(child.outputBytes())
        .as("read while the handler is at its first batch")
        .isLessThanOrEqualTo(ChildProcessOptions.DEFAULT_READ_AHEAD_BYTES + (128 << 10));
    assertThat(child.exit().isComplete()).isFalse();

    children.onContext(() -> {
      stuck.get(0).complete();
      return Future.succeededFuture(true);
    });

    assertThat(await(child.outputEnd())).isEqualTo(new OutputEnd.EndOfFile());
    assertThat(next.get()).isEqualTo(lines + 1L);
  }

  @Test
  void a_handler_that_fails_ends_the_reading_with_its_failure() {
    ChildProcess<String> child = children.launch(Children.shell("yes"));
    RuntimeException failure = new RuntimeException("the sink is full");
    children.open(child, batch -> Future.failedFuture(failure));

    assertThat(await(child.outputEnd())).isEqualTo(new OutputEnd.Failed(failure));

    children.onContext(child::terminate);
    await(child.ended());
  }

  @Test
  void a_decoder_that_fails_ends_the_reading_after_what_came_before() {
    RuntimeException failure = new RuntimeException("no line of mine");
    ChildProcess<String> child = children.launch(
        Children.shell("echo good; echo bad; sleep 60"),
        (bytes, offset, length, number) -> {
          String line = Children.TEXT.decode(bytes, offset, length, number);
          if (line.equals("bad")) {
            throw failure;
          }
          return line;
        },
        UnaryOperator.identity());
    Collected collected = new Collected(child);
    children.open(child, collected);

    assertThat(await(child.outputEnd())).isEqualTo(new OutputEnd.Failed(failure));

    assertThat(collected.text()).isEqualTo("good\n");
  }

  @Test
  void whose_output_is_discarded_can_write_on_to_its_end() {
    ChildProcess<String> child =
        children.launch(Children.shell("echo first; seq 1 500000; exit 5"));
    Promise<Void> never = Promise.promise();
    Promise<Void> first = Promise.promise();
    children.open(child, batch -> {
      first.tryComplete();
      return never.future();
    });
    await(first.future());

    children.onContext(() -> {
      child.discardOutput();
      return Future.succeededFuture(true);
    });

    assertThat(await(child.exit())).isEqualTo(5);
    await(child.ended());
  }

  @Test
  void keeps_the_end_of_its_standard_error_redacted() {
    ChildProcess<String> child = children.launch(
        Children.shell("seq 1 100000 >&2; echo 'the password is hunter2' >&2"),
        Children.TEXT,
        text -> text.replace("hunter2", "[redacted]"));
    List<String> live = new ArrayList<>();
    children.onContext(() -> {
      child.onStderr(live::add);
      return Future.succeededFuture(true);
    });
    children.open(child, new Collected(child));
    await(child.ended());

    StderrTail tail = child.stderrTail();
    assertThat(tail.text()).endsWith("99999\n100000\nthe password is [redacted]\n");
    assertThat(tail.text().getBytes(StandardCharsets.UTF_8).length).isEqualTo(16 << 10);
    assertThat(tail.bytesObserved()).isEqualTo(588_895 + 24);
    assertThat(tail.bytesCaptured()).isEqualTo(16 << 10);
    assertThat(tail.truncated()).isTrue();
    assertThat(tail.redacted()).isTrue();
    assertThat(live).startsWith("1", "2", "3").doesNotContain("the password is hunter2");
  }

  @Test
  void a_line_too_long_to_be_redacted_as_a_whole_is_not_shown_live() {
    ChildProcess<String> child = children.launch(
        Children.shell(
            "echo before >&2; printf '%016380d' 0 >&2; echo hunter2 >&2; echo after >&2"),
        Children.TEXT,
        text -> text.replace("hunter2", "[redacted]"));
    List<String> live = new ArrayList<>();
    children.onContext(() -> {
      child.onStderr(live::add);
      return Future.succeededFuture(true);
    });
    children.open(child, new Collected(child));
    await(child.ended());

    assertThat(live).containsExactly("before", "(a line of more than 16 KiB)", "after");
  }

  @Test
  void a_secret_that_the_cut_goes_through_is_not_shown_in_half() {
    String secret = "hunter2-".repeat(700); // longer than the margin before the tail
    ChildProcess<String> child = children.launch(
        Children.shell("printf %s '" + secret + "' >&2; printf '\\n%0" + 15_000 + "d' 0 >&2"),
        Children.TEXT,
        text -> text.replace(secret, "[redacted]"));
    children.open(child, new Collected(child));
    await(child.ended());

    assertThat(child.stderrTail().text()).doesNotContain("hunter").endsWith("000");
  }

  @Test
  void a_line_whose_beginning_is_gone_is_not_shown_however_much_redaction_takes_out_behind_it() {
    String secret = "hunter2-".repeat(700);
    ChildProcess<String> child = children.launch(
        Children.shell("printf 'password: %s\\n%s\\n%010000d' '" + "half ".repeat(2_000) + "' '"
            + secret + "' 0 >&2"),
        Children.TEXT,
        text -> text.replace(secret, "[redacted]"));
    children.open(child, new Collected(child));
    await(child.ended());

    assertThat(child.stderrTail().text()).startsWith("[redacted]\n00").doesNotContain("half");
  }

  @Test
  void of_standard_error_that_is_one_line_without_its_beginning_nothing_is_shown() {
    Collected child = children.run("printf '%030000d' 0 >&2");
    child.awaitGone();

    assertThat(child.child.stderrTail().text()).isEmpty();
    assertThat(child.child.stderrTail().bytesObserved()).isEqualTo(30_000);
  }

  @Test
  void short_standard_error_is_whole() {
    // Java 17 gives arguments in the character set of the machine.
    Collected child = children.run("printf 'gr\\303\\274\\303\\237e' >&2");
    child.awaitGone();

    assertThat(child.child.stderrTail()).isEqualTo(new StderrTail("grüße", 7, 7, false, false));
  }

  @Test
  void fifty_at_once_share_and_leave_no_file_open() throws Exception {
    children.run("exit 0").awaitGone(); // what is loaded once is loaded
    long before = Children.settledOpenPipes();

    List<Collected> all = IntStream.range(0, 50)
        .mapToObj(i -> children.run("seq 1 20000; cat >/dev/null & read -r line; echo $line"))
        .toList();
    all.forEach(child -> send(child, "last"));
    all.forEach(child -> {
      assertThat(child.awaitEnd()).isEqualTo(new OutputEnd.EndOfFile());
      assertThat(child.text()).startsWith("1\n2\n").endsWith("20000\nlast\n");
      assertThat(child.exitCode()).isZero();
      child.awaitGone();
    });

    Children.awaitOpenPipes(before);
    for (Collected child : all) {
      assertThat(ProcFiles.stat(child.child.identity().pid())).isEmpty();
    }
  }

  @Test
  void that_is_being_launched_while_all_are_closed_is_gone_when_they_are() throws Exception {
    String mark = "launched-too-late-" + UUID.randomUUID();
    children.run("exit 0").awaitGone(); // what is loaded once is loaded
    List<Future<ChildProcess<String>>> launches = new ArrayList<>();

    children.onContext(() -> {
      for (int number = 0; number < 10; number++) {
        launches.add(children.processes.launch(new ChildLaunch<>(
            "run_late_" + number,
            Children.shell(": " + mark + "; exec cat"),
            Children.TEXT,
            UnaryOperator.identity())));
      }
      return children.processes.close();
    });

    assertThat(launches).allSatisfy(launch -> assertThat(launch.cause())
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.OPERATION_CANCELLED)));
    assertThat(Children.processesWith(mark)).isEmpty();
    assertThat(Children.waitUntil(() -> Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().contains("run_late_"))))
        .isTrue();
  }

  @Test
  void closed_children_start_no_other_and_look_for_none() {
    children.onContext(children.processes::close);
    ProcessIdentity dead = new ProcessIdentity("elsewhere", "boot", 1, 1);

    assertThatThrownBy(() -> children.launch(Children.shell("exit 0")))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.OPERATION_CANCELLED));
    assertThatThrownBy(() ->
            children.onContext(() -> children.processes.terminateOrphans(dead, "run_of_the_dead")))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.OPERATION_CANCELLED));
  }

  private WriteOutcome send(Collected child, String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return children.onContext(() -> child.child.send(bytes));
  }

  @Test
  void many_decode_in_turns_as_many_at_a_time_as_there_are_processors() {
    int processors = Math.max(2, Runtime.getRuntime().availableProcessors());
    AtomicInteger decoding = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    LineDecoder<String> watched = (bytes, offset, length, number) -> {
      most.accumulateAndGet(decoding.incrementAndGet(), Math::max);
      try {
        return Children.TEXT.decode(bytes, offset, length, number);
      } finally {
        decoding.decrementAndGet();
      }
    };

    List<Collected> all = IntStream.range(0, 10)
        .mapToObj(number -> {
          ChildProcess<String> child =
              children.launch(Children.shell("seq 20000"), watched, UnaryOperator.identity());
          Collected collected = new Collected(child);
          children.open(child, collected);
          return collected;
        })
        .toList();

    String numbers =
        IntStream.rangeClosed(1, 20_000).mapToObj(i -> i + "\n").collect(Collectors.joining());
    all.forEach(child -> {
      assertThat(child.awaitEnd()).isEqualTo(new OutputEnd.EndOfFile());
      assertThat(child.text()).isEqualTo(numbers);
    });
    assertThat(most).hasValueBetween(1, processors);
  }

  @Test
  void whose_handler_is_behind_keeps_no_other_from_its_turn() {
    List<ChildProcess<String>> floods = IntStream.range(0, 10)
        .mapToObj(number -> children.launch(Children.shell("yes $(printf %01000d 0)")))
        .toList();
    Promise<Void> never = Promise.promise();
    floods.forEach(flood -> children.open(flood, batch -> never.future()));
    floods.forEach(flood ->
        assertThat(Children.waitUntil(() -> flood.outputBytes() > 400_000)).isTrue());

    Collected child = children.run("seq 20000; echo over");

    child.awaitLine("over");
    assertThat(child.exitCode()).isZero();
  }

  private void closeStdin(Collected child) {
    children.onContext(() -> {
      child.child.closeStdin();
      return Future.succeededFuture(true);
    });
  }
}
