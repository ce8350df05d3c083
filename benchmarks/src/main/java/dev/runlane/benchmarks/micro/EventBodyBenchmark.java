package dev.runlane.benchmarks.micro;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
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

/** The bodies of events as a storage keeps them: the one with the payload and a small one. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class EventBodyBenchmark {
  private RunEvent created = RunLife.CREATED;
  private RunEvent claimed = RunLife.LEASE_CLAIMED;
  private Json createdBody = RunEventJson.body(created);
  private Json claimedBody = RunEventJson.body(claimed);

  /** JMH makes one. */
  public EventBodyBenchmark() {}

  /** Writes run.created with 170 bytes of payload. */
  @Benchmark
  public Json writeCreated() {
    return RunEventJson.body(created);
  }

  /** Reads it. */
  @Benchmark
  public RunEvent readCreated() {
    return read(created, createdBody);
  }

  /** Writes run.lease_claimed. */
  @Benchmark
  public Json writeClaimed() {
    return RunEventJson.body(claimed);
  }

  /** Reads it. */
  @Benchmark
  public RunEvent readClaimed() {
    return read(claimed, claimedBody);
  }

  private static RunEvent read(RunEvent event, Json body) {
    return RunEventJson.readBody(
        RunLife.ENVIRONMENT,
        RunLife.RUN_ID,
        event.type().value(),
        event.header().occurredAt(),
        body);
  }
}
