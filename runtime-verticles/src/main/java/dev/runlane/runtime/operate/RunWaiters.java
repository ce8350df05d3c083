package dev.runlane.runtime.operate;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.ReadSize;
import dev.runlane.runtime.process.ReadableRuns;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Callers that await the end of runs. A commit of this process answers at once; for all others one read serves every
 * waiter, or several one after the other where they are many or large, after 250 ms at first and up to 2 s while
 * nothing happens. Touched on the home context only.
 */
public final class RunWaiters {
  private static final Logger LOG = LoggerFactory.getLogger(RunWaiters.class);
  private static final Duration FIRST_POLL = Duration.ofMillis(250);
  private static final Duration LONGEST_POLL = Duration.ofSeconds(2);
  private static final int MOST_IDS = 1_000; // of one read

  private final RuntimeContext context;
  private final FailureLog failures;
  private final ReadSize size = new ReadSize(MOST_IDS);
  private final Map<String, List<Promise<RunRecord>>> waiting = new LinkedHashMap<>();
  private Duration pause = FIRST_POLL;
  private Timers.@Nullable Timer timer;
  private boolean polling; // for all of them
  private LocalNotifications.@Nullable Registration commits;

  /** Those of one runtime; looks at nothing until something is awaited. */
  public RunWaiters(RuntimeContext context) {
    this.context = context;
    failures = new FailureLog(LOG, "reading runs that are awaited", context.timers());
  }

  /** The run once it is terminal. Fails where there is none of this id, or it cannot be read. */
  public Future<RunRecord> await(String runId, Duration timeout) {
    Promise<RunRecord> answer = Promise.promise();
    if (commits == null) {
      commits = context.notifications().onRunTerminal(context.host()::execute, this::ended);
    }
    waiting.computeIfAbsent(runId, id -> new ArrayList<>()).add(answer);
    Timers.Timer deadline = context.timers().schedule(timeout, () -> {
      remove(runId, answer);
      answer.tryFail(RunlaneException.of(
              ErrorCode.OPERATION_CANCELLED, "run %s did not end within %s", runId, timeout)
          .asRetryable());
    });
    answer.future().onComplete(done -> deadline.cancel());
    pause = FIRST_POLL;
    poll(List.of(runId)).onComplete(done -> arm());
    return answer.future();
  }

  /** Fails everybody who still waits. */
  public void close() {
    disarm();
    if (commits != null) {
      commits.close();
      commits = null;
    }
    List<List<Promise<RunRecord>>> left = List.copyOf(waiting.values());
    waiting.clear();
    left.forEach(promises -> promises.forEach(promise -> promise.tryFail(
        RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the runtime was closed"))));
  }

  private void ended(RunRecord run) {
    List<Promise<RunRecord>> promises = waiting.remove(run.id());
    if (promises != null) {
      promises.forEach(promise -> promise.tryComplete(run));
    }
  }

  private void remove(String runId, Promise<RunRecord> promise) {
    List<Promise<RunRecord>> promises = waiting.get(runId);
    if (promises != null && promises.remove(promise) && promises.isEmpty()) {
      waiting.remove(runId);
    }
  }

  /** Reads these runs; what a read answered is gone before the next one, so that no more is held. Never fails. */
  private Future<Void> poll(List<String> runIds) {
    List<String> first = runIds.subList(0, Math.min(runIds.size(), size.runs()));
    return ReadableRuns.of(context, first).transform((found, failure) -> {
      if (failure != null) {
        failures.failed(failure, "they are read again");
        return Future.succeededFuture();
      }
      failures.succeeded();
      size.learn(found.runs().values());
      deliver(first, found);
      List<String> others = runIds.subList(first.size(), runIds.size()).stream()
          .filter(waiting::containsKey)
          .toList();
      return others.isEmpty() ? Future.succeededFuture() : poll(others);
    });
  }

  private void deliver(List<String> asked, ReadableRuns found) {
    for (String runId : asked) {
      RunRecord run = found.runs().get(runId);
      if (run == null) {
        RunlaneException unreadable = found.unreadable().get(runId);
        fail(
            runId,
            unreadable != null
                ? unreadable
                : RunlaneException.of(ErrorCode.RUN_NOT_FOUND, "run %s does not exist", runId));
      } else if (run.status().isTerminal()) {
        ended(run);
      }
    }
  }

  private void fail(String runId, RunlaneException failure) {
    List<Promise<RunRecord>> promises = waiting.remove(runId);
    if (promises != null) {
      promises.forEach(promise -> promise.tryFail(failure));
    }
  }

  private void arm() {
    if (timer == null && !polling && !waiting.isEmpty()) {
      timer = context.timers().schedule(pause, () -> {
        timer = null;
        if (waiting.isEmpty()) {
          return;
        }
        pause = pause.multipliedBy(2).compareTo(LONGEST_POLL) < 0
            ? pause.multipliedBy(2)
            : LONGEST_POLL;
        polling = true;
        poll(List.copyOf(waiting.keySet())).onComplete(done -> {
          polling = false;
          arm();
        });
      });
    }
  }

  private void disarm() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }
}
