package dev.runlane.connector.process;

import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.process.line.LineBatch;
import dev.runlane.connector.process.line.LineDecoder;
import dev.runlane.connector.process.line.LineHandler;
import dev.runlane.connector.process.line.OutputEnd;
import dev.runlane.connector.process.os.ProcFiles;
import dev.runlane.connector.process.os.ProcessStat;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Starts real children for tests, and knows whether something of them is left. */
final class Children implements AutoCloseable {
  static final Path HERE = Path.of("").toAbsolutePath();
  static final LineDecoder<String> TEXT =
      (bytes, offset, length, number) -> new String(bytes, offset, length, StandardCharsets.UTF_8);

  final Vertx vertx = Vertx.vertx();
  final ChildProcesses processes;
  final Context context = vertx.getOrCreateContext();

  private int runs;

  Children() {
    this(new ChildProcessOptions());
  }

  Children(ChildProcessOptions options) {
    this(options, Timers::of);
  }

  /** In the time of these timers. */
  Children(ChildProcessOptions options, Timers timers) {
    this(options, vertx -> timers);
  }

  private Children(ChildProcessOptions options, Function<Vertx, Timers> timers) {
    processes = new ChildProcesses(vertx, timers.apply(vertx), options);
    await(processes.start());
  }

  static Map<String, String> environment() {
    return new HashMap<>(Map.of("PATH", System.getenv("PATH")));
  }

  static ChildCommand shell(String script) {
    return new ChildCommand(List.of("sh", "-c", script), HERE, environment());
  }

  ChildProcess<String> launch(ChildCommand command) {
    return launch(command, TEXT, UnaryOperator.identity());
  }

  <T> ChildProcess<T> launch(
      ChildCommand command, LineDecoder<T> decoder, UnaryOperator<String> redaction) {
    String runId = "run_" + ++runs;
    return onContext(() -> processes.launch(new ChildLaunch<>(runId, command, decoder, redaction)));
  }

  /** Runs a shell script whose lines are collected, and opens it. */
  Collected run(String script) {
    ChildProcess<String> child = launch(shell(script));
    Collected collected = new Collected(child);
    open(child, collected);
    return collected;
  }

  <T> void open(ChildProcess<T> child, LineHandler<T> handler) {
    onContext(() -> {
      child.open(handler);
      return Future.succeededFuture(true);
    });
  }

  /** What {@code call} answers, called on the children's context. */
  <R> R onContext(Callable<Future<R>> call) {
    Promise<R> answer = Promise.promise();
    context.runOnContext(turn -> Future.<Void>succeededFuture()
        .compose(start -> {
          try {
            return call.call();
          } catch (Exception e) {
            return Future.failedFuture(e);
          }
        })
        .onComplete(answer));
    return await(answer.future());
  }

  static <R> R await(Future<R> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(60, SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** How many pipes this process has open: what a child has of its files. */
  static long openPipes() {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.filter(Children::isPipe).count();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static boolean isPipe(Path file) {
    try {
      return Files.readSymbolicLink(file).toString().startsWith("pipe:");
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }

  /** How many pipes are open once that stays the same: one may be closed a moment after its process has ended. */
  static long settledOpenPipes() {
    AtomicLong last = new AtomicLong(-1);
    AtomicInteger alike = new AtomicInteger();
    assertThat(waitUntil(() -> {
          long open = openPipes();
          return (last.getAndSet(open) == open ? alike.incrementAndGet() : alike.getAndSet(0))
              >= 10;
        }))
        .as("the number of open pipes stays the same")
        .isTrue();
    return last.get();
  }

  static void awaitOpenPipes(long most) {
    assertThat(waitUntil(() -> openPipes() <= most))
        .as("no more pipes are open")
        .isTrue();
  }

  /** Pids of all living processes whose command line holds {@code text}. */
  static List<Long> processesWith(String text) {
    return ProcFiles.all().stream()
        .map(ProcessStat::pid)
        .filter(pid -> commandLineOf(pid).contains(text))
        .toList();
  }

  static String commandLineOf(long pid) {
    try {
      return Files.readString(ProcFiles.of(pid, "cmdline"), StandardCharsets.ISO_8859_1)
          .replace('\0', ' ');
    } catch (IOException gone) {
      return "";
    }
  }

  /** Looks again and again, for a minute at most, until {@code condition} holds. */
  static boolean waitUntil(BooleanSupplier condition) {
    long begun = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - begun > MINUTES.toNanos(1)) {
        return false;
      }
      LockSupport.parkNanos(20_000_000);
    }
    return true;
  }

  @Override
  public void close() {
    await(processes.close());
    await(vertx.close());
  }

  /** Keeps all lines, and tells of the first that a test waits for. */
  static final class Collected implements LineHandler<String> {
    final ChildProcess<String> child;

    private final StringBuffer text = new StringBuffer();
    private final Map<String, Promise<Void>> wanted = new ConcurrentHashMap<>();

    Collected(ChildProcess<String> child) {
      this.child = child;
    }

    @Override
    public Future<Void> handle(LineBatch<String> batch) {
      batch.items().forEach(line -> {
        text.append(line).append('\n');
        seen(line).tryComplete();
      });
      return Future.succeededFuture();
    }

    String text() {
      return text.toString();
    }

    void awaitLine(String line) {
      await(seen(line).future());
    }

    /** The line that begins so, once it is there and the child has gone on. */
    String lineFrom(String start) {
      return text().lines().filter(line -> line.startsWith(start)).findFirst().orElseThrow();
    }

    OutputEnd awaitEnd() {
      return await(child.outputEnd());
    }

    int exitCode() {
      return await(child.exit());
    }

    void awaitGone() {
      await(child.ended());
    }

    private Promise<Void> seen(String line) {
      return wanted.computeIfAbsent(line, key -> Promise.promise());
    }
  }
}
