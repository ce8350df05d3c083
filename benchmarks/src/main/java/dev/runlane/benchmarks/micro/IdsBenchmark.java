package dev.runlane.benchmarks.micro;

import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
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

/** New ids with the machine's clock and randomness. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class IdsBenchmark {
  private final Ids ids = new Ids(Clock.system(), Randomness.system());

  /** JMH makes one. */
  public IdsBenchmark() {}

  /** A time-ordered id. */
  @Benchmark
  public String runId() {
    return ids.runId();
  }

  /** A hashed id. */
  @Benchmark
  public String occurrenceId() {
    return Ids.occurrenceId("default", "nightly", "2026-01-01T00:00:00Z");
  }
}
