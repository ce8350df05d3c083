package dev.runlane.console.run;

import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.Runs;
import dev.runlane.runtime.task.RunActionOptions;
import io.vertx.core.Future;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What is done to each run of a filter, and to runs of which statuses it can be done. */
enum BulkKind {
  CANCEL {
    @Override
    Set<RunStatus> statuses() {
      return EnumSet.complementOf(
          EnumSet.of(RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED));
    }

    @Override
    Future<?> act(Runs runs, String runId, RunActionOptions options) {
      return runs.cancel(runId, options);
    }
  },
  RETRY {
    @Override
    Set<RunStatus> statuses() {
      return EnumSet.of(RunStatus.FAILED);
    }

    @Override
    Future<?> act(Runs runs, String runId, RunActionOptions options) {
      return runs.retryOnce(runId, options);
    }
  },
  RERUN {
    @Override
    Set<RunStatus> statuses() {
      return EnumSet.of(RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED);
    }

    @Override
    Future<?> act(Runs runs, String runId, RunActionOptions options) {
      return runs.rerun(runId, options);
    }
  };

  static BulkKind ofValue(String value) {
    return Arrays.stream(values())
        .filter(kind -> kind.value().equals(value))
        .findFirst()
        .orElseThrow();
  }

  String value() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Of runs to which it can be done. */
  abstract Set<RunStatus> statuses();

  /** Done again with the same options, a retry or rerun makes no second run. */
  abstract Future<?> act(Runs runs, String runId, RunActionOptions options);
}
