package dev.runlane.runtime.process;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads single runs for many callers with few commands: what is asked for while {@value #MOST_READS} reads are
 * under way goes together into the next. A read never answers with what was read before it was asked for.
 * Touched on the home context only.
 */
public final class RunReads {
  private static final int MOST_READS = 2;
  private static final int MOST_RUNS = 200;
  private static final int MOST_WAITING = 100_000;

  private final RuntimeContext context;
  private final Map<String, List<Promise<Optional<RunRecord>>>> waiting = new LinkedHashMap<>();
  private int reading;
  private int askers;

  public RunReads(RuntimeContext context) {
    this.context = context;
  }

  /** The run as it is now; empty when there is none. Fails as the storage does of this run, or when too many wait. */
  public Future<Optional<RunRecord>> read(String runId) {
    if (askers >= MOST_WAITING) {
      return Future.failedFuture(RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE, null, "%d reads of runs are waiting already", askers));
    }
    Promise<Optional<RunRecord>> answer = Promise.promise();
    waiting.computeIfAbsent(runId, id -> new ArrayList<>(1)).add(answer);
    askers++;
    sendIfFree();
    return answer.future();
  }

  private void sendIfFree() {
    if (reading < MOST_READS && !waiting.isEmpty()) {
      send(take());
    }
  }

  private Map<String, List<Promise<Optional<RunRecord>>>> take() {
    Map<String, List<Promise<Optional<RunRecord>>>> taken = new LinkedHashMap<>();
    Iterator<Map.Entry<String, List<Promise<Optional<RunRecord>>>>> entries =
        waiting.entrySet().iterator();
    while (entries.hasNext() && taken.size() < MOST_RUNS) {
      Map.Entry<String, List<Promise<Optional<RunRecord>>>> entry = entries.next();
      taken.put(entry.getKey(), entry.getValue());
      askers -= entry.getValue().size();
      entries.remove();
    }
    return taken;
  }

  private void send(Map<String, List<Promise<Optional<RunRecord>>>> askersOf) {
    reading++;
    ReadableRuns.of(context, List.copyOf(askersOf.keySet())).onComplete(read -> {
      reading--;
      ReadableRuns found = read.succeeded() ? read.result() : ReadableRuns.NONE;
      askersOf.forEach((runId, answers) -> {
        Throwable failure = read.succeeded() ? found.unreadable().get(runId) : read.cause();
        answers.forEach(answer -> {
          if (failure == null) {
            answer.complete(Optional.ofNullable(found.runs().get(runId)));
          } else {
            answer.fail(failure);
          }
        });
      });
      sendIfFree();
    });
  }
}
