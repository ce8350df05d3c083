package dev.runlane.runtime.report;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.json.StorableText;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.log.AppendLogLines;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.log.LogLine;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what handlers say of their runs, gathered and behind them: no attempt waits for it. Lines that cannot be
 * written are kept for later up to a bound and dropped beyond it; nothing is kept where the storage keeps nothing for
 * operators.
 */
public final class HandlerLog {
  /** Most lines of one attempt. */
  public static final int MOST_LINES = 1_000;

  /** Most characters of one attempt, fields included. */
  public static final int MOST_CHARACTERS = 262_144;

  private static final Logger LOG = LoggerFactory.getLogger(HandlerLog.class);
  private static final int MOST_FIELDS = 32;
  private static final int MOST_FIELD = 1_024;
  private static final int MOST_WAITING = 20_000;
  private static final int MOST_WAITING_CHARACTERS = 8_388_608;
  private static final int MOST_AT_ONCE = 500;
  private static final int MOST_CHARACTERS_AT_ONCE = 1_048_576;
  private static final Duration GATHER = Duration.ofMillis(250);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);
  private static final Duration LAST_WORD = Duration.ofSeconds(1);

  private final Environment environment;
  private final Optional<OperatorStore> store;
  private final Clock clock;
  private final RuntimeHost host;
  private final FailureLog failures;
  private final Deque<LogLine> waiting = new ArrayDeque<>(); // on the home context
  private final List<Promise<Void>> emptied = new ArrayList<>();
  private Timers.@Nullable Timer timer;
  private int waitingCharacters;
  private boolean writing;

  /** A log that has nothing to write yet. */
  public HandlerLog(
      Environment environment, Optional<OperatorStore> store, Clock clock, RuntimeHost host) {
    this.environment = environment;
    this.store = store;
    this.clock = clock;
    this.host = host;
    failures = new FailureLog(LOG, "writing lines of handlers", host.timers());
  }

  /** What one attempt writes. */
  public Lines of(RunRecord run) {
    return new Lines(run.id(), run.counters().attempts());
  }

  /** Writes what waits, if that can be done soon. On the home context. */
  public Future<Void> close() {
    if (waiting.isEmpty() && !writing) {
      return Future.succeededFuture();
    }
    Promise<Void> written = Promise.promise();
    emptied.add(written);
    write();
    return host.timers()
        .within(
            LAST_WORD,
            written.future(),
            () -> RunlaneException.of(
                ErrorCode.OPERATION_CANCELLED, "the storage did not answer within %s", LAST_WORD))
        .otherwise(failure -> {
          LOG.warn("{} lines of handlers are lost with this process", waiting.size());
          return null;
        });
  }

  private void add(LogLine line) {
    int characters = characters(line);
    if (waiting.size() >= MOST_WAITING
        || waitingCharacters + characters > MOST_WAITING_CHARACTERS) {
      failures.failed(
          new IllegalStateException("too many lines wait already"), "the line is dropped");
      return;
    }
    waiting.add(line);
    waitingCharacters += characters;
    if (isBatch()) {
      write();
    } else if (timer == null && !writing) {
      writeAfter(GATHER);
    }
  }

  private boolean isBatch() {
    return waiting.size() >= MOST_AT_ONCE || waitingCharacters >= MOST_CHARACTERS_AT_ONCE;
  }

  private static int characters(LogLine line) {
    int characters = line.text().length();
    for (Map.Entry<String, String> field : line.fields().entrySet()) {
      characters += field.getKey().length() + field.getValue().length();
    }
    return characters;
  }

  private void writeAfter(Duration delay) {
    timer = host.timers().schedule(delay, () -> {
      timer = null;
      write();
    });
  }

  private void write() {
    if (writing || waiting.isEmpty()) {
      return;
    }
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
    writing = true;
    List<LogLine> lines = nextBatch();
    AdapterCall.of(
            "operator.appendLogLines",
            () -> store.orElseThrow().appendLogLines(new AppendLogLines(environment, lines)))
        .onComplete(written -> host.execute(() -> wrote(lines, written.cause())));
  }

  /** At least one line, and no more than the bounds of a batch. */
  private List<LogLine> nextBatch() {
    List<LogLine> lines = new ArrayList<>();
    int characters = 0;
    do {
      LogLine line = waiting.remove();
      lines.add(line);
      characters += characters(line);
    } while (!waiting.isEmpty()
        && lines.size() < MOST_AT_ONCE
        && characters + characters(waiting.element()) <= MOST_CHARACTERS_AT_ONCE);
    waitingCharacters -= characters;
    return lines;
  }

  private void wrote(List<LogLine> lines, @Nullable Throwable failure) {
    writing = false;
    if (failure == null) {
      failures.succeeded();
    } else if (failure instanceof RunlaneException known && known.isRetryable()) {
      failures.failed(failure, AFTER_FAILURE);
      for (int last = lines.size() - 1; last >= 0; last--) {
        waiting.addFirst(lines.get(last));
        waitingCharacters += characters(lines.get(last));
      }
      writeAfter(AFTER_FAILURE);
      return;
    } else {
      failures.failed(failure, lines.size() + " lines are dropped");
    }
    if (isBatch() || !emptied.isEmpty()) {
      write();
    } else if (!waiting.isEmpty()) {
      writeAfter(GATHER);
    }
    if (waiting.isEmpty() && !writing) {
      emptied.forEach(Promise::tryComplete);
      emptied.clear();
    }
  }

  /** The lines of one attempt, from any thread. */
  public final class Lines {
    private final String runId;
    private final int attempt;
    private int count;
    private int written; // characters

    private Lines(String runId, int attempt) {
      this.runId = runId;
      this.attempt = attempt;
    }

    /** Adds a line, cut and repaired to what can be kept; beyond the bounds of an attempt it is dropped. */
    public void add(LogLevel level, String text, Map<String, String> fields) {
      if (store.isEmpty() || attempt < 1) {
        return;
      }
      next(level, cut(text, OperatorChecks.MOST_LINE_TEXT), kept(fields))
          .ifPresent(line -> host.execute(() -> HandlerLog.this.add(line)));
    }

    private synchronized Optional<LogLine> next(
        LogLevel level, String text, Map<String, String> fields) {
      if (count > MOST_LINES || written > MOST_CHARACTERS) {
        return Optional.empty();
      }
      count++;
      LogLine line = new LogLine(runId, attempt, count, clock.now(), level, text, fields);
      written += characters(line);
      return Optional.of(count > MOST_LINES || written > MOST_CHARACTERS ? dropped() : line);
    }

    private LogLine dropped() {
      written = MOST_CHARACTERS + 1;
      return new LogLine(
          runId,
          attempt,
          count,
          clock.now(),
          LogLevel.WARN,
          "Further lines of this attempt are dropped: it may write %s of %s characters in all."
              .formatted(MOST_LINES, MOST_CHARACTERS),
          Map.of());
    }

    private static Map<String, String> kept(Map<String, String> fields) {
      Map<String, String> kept = new TreeMap<>();
      for (Map.Entry<String, String> field : fields.entrySet()) {
        if (kept.size() == MOST_FIELDS) {
          break;
        }
        kept.put(cut(field.getKey(), MOST_FIELD), cut(field.getValue(), MOST_FIELD));
      }
      return kept;
    }

    /** Half a surrogate pair at the cut is repaired too. */
    private static String cut(String text, int most) {
      return StorableText.repaired(text.length() <= most ? text : text.substring(0, most));
    }
  }
}
