package dev.runlane.conformance.given;

import dev.runlane.conformance.kit.Given;
import dev.runlane.run.RunSource;
import java.util.stream.Stream;

/** One source of every kind. */
final class RunSources {
  private RunSources() {}

  static Stream<RunSource> all() {
    return Stream.of(
        RunSource.TRIGGER,
        RunSource.schedule("nightly", "occ_1", Given.minutes(-5)),
        RunSource.rerun("run_0"),
        RunSource.manualRetry("run_0"));
  }
}
