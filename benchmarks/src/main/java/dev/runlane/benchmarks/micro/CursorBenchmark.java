package dev.runlane.benchmarks.micro;

import dev.runlane.storage.Cursors;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a page of a list pays for its cursor: the fingerprint of its filter, then reading or writing. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CursorBenchmark {
  private ListRuns query =
      new ListRuns(RunLife.ENVIRONMENT, RunFilter.ALL, RunSort.NEWEST_FIRST, 50, null);
  private String cursor = written(query);

  /** JMH makes one. */
  public CursorBenchmark() {}

  /** Fingerprint and cursor. */
  @Benchmark
  public String write() {
    return written(query);
  }

  /** Fingerprint and position. */
  @Benchmark
  public Optional<List<String>> read() {
    return Cursors.of(query).decode(cursor, 2);
  }

  private static String written(ListRuns query) {
    return Cursors.of(query).encode("2026-01-01T00:00:00.123456Z", RunLife.RUN_ID);
  }
}
