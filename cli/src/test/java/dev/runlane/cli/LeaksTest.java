package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.process.Poll;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("runs of hostile connectors, one after another in one process,")
@DisplayNameGeneration(ReplaceUnderscores.class)
class LeaksTest {
  private static final long MOST_NANOS = 60_000_000_000L;
  private static final List<String> EXITS_SOON =
      List.of("--limit-exit", "300ms", "--limit-grace", "100ms");
  private static final List<Hostile> CONNECTORS = List.of(
      new Hostile("well_behaved.sh", List.of()),
      new Hostile("output_after_done.sh", List.of()),
      new Hostile("output_after_done_late.sh", List.of()),
      new Hostile("wrong_count.sh", List.of()),
      new Hostile("exit_code.sh", List.of()),
      new Hostile("undeclared_stream.sh", List.of()),
      new Hostile("not_json_while_waiting.sh", List.of("--interaction", "ask")),
      new Hostile("asks_unasked.sh", List.of("--no-interaction")),
      new Hostile("stdin_closed.sh", List.of("--no-interaction")),
      new Hostile("never_exits.sh", EXITS_SOON),
      new Hostile("never_talks.sh", List.of("--limit-silence", "300ms")),
      new Hostile("stdout_closed_early.sh", EXITS_SOON),
      new Hostile("deaf_grandchild.sh", EXITS_SOON),
      new Hostile("fork_bomb.sh", List.of()),
      new Hostile("endless_line.sh", List.of("--limit-line", "1048576")),
      new Hostile("endless_noise.sh", List.of()),
      new Hostile("endless_records.sh", List.of("--limit-output", "10000000")),
      new Hostile("secret_on_stderr.sh", List.of()),
      new Hostile("killed.sh", List.of()),
      new Hostile("killed_between.sh", List.of()),
      new Hostile("deep_json.sh", List.of()),
      new Hostile("not_utf8.sh", List.of()));

  private final InputStream input = System.in;

  @BeforeEach
  void nobody_types() throws IOException {
    System.setIn(new PipedInputStream(new PipedOutputStream()));
  }

  @AfterEach
  void restore() {
    System.setIn(input);
  }

  @Test
  void leave_no_file_no_thread_and_no_process_behind_however_they_end() throws IOException {
    Set<Thread> others = threads(); // of other tests in this JVM
    CONNECTORS.forEach(LeaksTest::run); // what is loaded once stays open
    long before = openFiles();
    Set<ProcessHandle> servers = children(); // as well

    for (Hostile connector : CONNECTORS) {
      run(connector);

      assertThat(openFilesAtMost(before)).as(connector.script()).isLessThanOrEqualTo(before);
      assertThat(Poll.until(Duration.ofNanos(MOST_NANOS), () -> children().equals(servers)))
          .as(connector.script())
          .isTrue();
      assertThat(noThreadIsLeft(others)).as(connector.script()).isTrue();
    }
  }

  private static Set<ProcessHandle> children() {
    return ProcessHandle.current().children().collect(Collectors.toSet());
  }

  private static void run(Hostile connector) {
    List<String> arguments = new ArrayList<>(List.of("connectors", "run"));
    arguments.addAll(connector.options());
    arguments.addAll(List.of(
        "--manifest",
        CommandRun.HOSTILE.resolve("manifest.json").toString(),
        "--",
        "sh",
        CommandRun.HOSTILE.resolve(connector.script()).toString()));
    Printed printed = Printed.by(arguments.toArray(String[]::new));
    assertThat(printed.out()).as(printed.err()).contains("The run ");
  }

  /** A pipe may be closed a moment after its process has ended. */
  private static long openFilesAtMost(long most) throws IOException {
    long end = System.nanoTime() + MOST_NANOS;
    long open = openFiles();
    while (open > most && System.nanoTime() < end) {
      LockSupport.parkNanos(1_000_000);
      open = openFiles();
    }
    return open;
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }

  /** Threads end a moment after they have said so. */
  private static boolean noThreadIsLeft(Set<Thread> others) {
    long end = System.nanoTime() + MOST_NANOS;
    while (!others.containsAll(threads())) {
      if (System.nanoTime() > end) {
        return false;
      }
      LockSupport.parkNanos(1_000_000);
    }
    return true;
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(LeaksTest::isOfRun)
        .collect(Collectors.toSet());
  }

  private static boolean isOfRun(Thread thread) {
    String name = thread.getName();
    return name.startsWith("std")
        || name.equals("answers")
        || name.startsWith("vert.x")
        || name.startsWith("runlane");
  }

  /**
   * A script of {@code hostile/}.
   *
   * @param options of the command
   */
  private record Hostile(String script, List<String> options) {}
}
