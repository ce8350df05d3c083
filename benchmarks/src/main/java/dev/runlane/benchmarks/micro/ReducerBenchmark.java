package dev.runlane.benchmarks.micro;

import dev.runlane.run.RunRecord;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** What the reducer takes for a whole life of a run: three appends, five events. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ReducerBenchmark {
  /** JMH makes one. */
  public ReducerBenchmark() {}

  /** Projects the three appends. */
  @Benchmark
  public RunRecord life() {
    return RunLife.project();
  }
}
