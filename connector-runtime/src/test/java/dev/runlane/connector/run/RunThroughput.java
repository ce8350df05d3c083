package dev.runlane.connector.run;

import dev.runlane.connector.run.Runs.Finished;
import java.time.Duration;
import java.util.List;

/** Prints how many records of one child go through a run in a second. Run by hand; asserts nothing. */
final class RunThroughput {
  private RunThroughput() {}

  public static void main(String[] args) {
    int count = Integer.parseInt(args[0]);
    for (int round = 0; round < 3; round++) {
      try (Runs runs = new Runs()) {
        runs.sink = new CountingSink();
        long from = System.nanoTime();
        Finished run = runs.finish(
            runs.begin(List.of("node", "src/test/resources/connectors/flood.mjs", args[0])));
        Duration took = Duration.ofNanos(System.nanoTime() - from);
        System.out.printf(
            "%s: %,d records a second, %,d MiB in use%n",
            run.terminal().type().value(),
            count * 1_000L / took.toMillis(),
            (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20);
      }
    }
  }
}
