package dev.runlane.testinfra.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ClassArchiveTest {
  private static final Duration BOUND = Duration.ofSeconds(60);

  private final AtomicInteger trained = new AtomicInteger();

  @TempDir
  private Path folder;

  /** A child. */
  static final class Program {
    private Program() {}

    /** Tells where its class came from. */
    public static void main(String[] arguments) {
      System.out.println(
          Program.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    }
  }

  @Test
  void children_map_what_the_first_of_them_loaded() {
    List<String> options = ClassArchive.options(folder, this::train);

    ProgramRun child = program("-Xshare:on", options);

    assertThat(child.succeeded()).as(child.output()).isTrue();
    assertThat(child.output()).startsWith(folder.toString()).endsWith(".jar");
  }

  @Test
  void an_archive_is_made_once_for_a_class_path() {
    List<String> options = ClassArchive.options(folder, this::train);

    assertThat(ClassArchive.options(folder, this::train)).isEqualTo(options);
    assertThat(trained).hasValue(1);
    assertThat(Stream.of(options.get(options.indexOf("-cp") + 1).split(File.pathSeparator)))
        .allMatch(entry -> entry.endsWith(".jar"));
  }

  @Test
  void threads_that_ask_meanwhile_wait_for_the_first() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<List<String>> first =
        CompletableFuture.supplyAsync(() -> ClassArchive.options(folder, options -> {
          begun.countDown();
          train(options);
        }));
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();

    List<String> second = ClassArchive.options(folder, this::train);

    assertThat(second).isEqualTo(first.orTimeout(60, TimeUnit.SECONDS).join());
    assertThat(trained).hasValue(1);
  }

  private void train(List<String> options) {
    trained.incrementAndGet();
    assertThat(program("-Xshare:auto", options).succeeded()).isTrue();
  }

  private static ProgramRun program(String share, List<String> options) {
    List<String> command = new ArrayList<>(
        List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), share));
    command.addAll(options);
    command.add(Program.class.getName());
    return ProgramRun.of(command, BOUND);
  }
}
