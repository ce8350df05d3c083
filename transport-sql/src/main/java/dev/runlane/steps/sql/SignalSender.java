package dev.runlane.steps.sql;

import dev.runlane.json.JsonWriter;
import dev.runlane.run.Json;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends signals after commits, one at a time: what comes up meanwhile shares the next. A signal that is not
 * sent costs its listeners a poll, nothing more.
 */
final class SignalSender {
  private static final Logger LOG = LoggerFactory.getLogger(SignalSender.class);
  private static final int MOST_BYTES = 7_900; // PostgreSQL takes 8 000
  private static final Json NO_NAMES = Json.ofChecked("[]");
  static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final Context context;
  private final Timers timers;
  private final Function<String, Future<?>> send;
  private final Set<String> groups = new TreeSet<>();
  private boolean anyGroup;
  private boolean results;
  private boolean sending;

  /** Sends payloads with {@code send}; its state lives on {@code context}. */
  SignalSender(Context context, Timers timers, Function<String, Future<?>> send) {
    this.context = context;
    this.timers = timers;
    this.send = send;
  }

  /** Tasks were stored in these groups, or may have been. */
  void tasks(Collection<String> stored) {
    if (!stored.isEmpty()) {
      context.runOnContext(turn -> {
        groups.addAll(stored);
        sendNext();
      });
    }
  }

  /** Tasks may be there in some group. */
  void anyTasks() {
    context.runOnContext(turn -> {
      anyGroup = true;
      sendNext();
    });
  }

  /** Results were stored, or may have been. */
  void results() {
    context.runOnContext(turn -> {
      results = true;
      sendNext();
    });
  }

  private void sendNext() {
    if (sending || (groups.isEmpty() && !anyGroup && !results)) {
      return;
    }
    String payload = payload();
    groups.clear();
    anyGroup = false;
    results = false;
    sending = true;
    timers
        .within(LONGEST_WAIT, send.apply(payload).mapEmpty(), TimeoutException::new)
        .onFailure(failure -> LOG.debug("a signal was not sent", failure))
        .onComplete(sent -> context.runOnContext(turn -> {
          sending = false;
          sendNext();
        }));
  }

  private String payload() {
    JsonWriter named = new JsonWriter();
    JsonWriter unnamed = new JsonWriter(); // tasks of any group
    if (results) {
      named.flag("results", true);
      unnamed.flag("results", true);
    }
    named.textList("tasks", List.copyOf(groups));
    unnamed.json("tasks", NO_NAMES);
    String payload = named.end();
    boolean fits = payload.getBytes(StandardCharsets.UTF_8).length <= MOST_BYTES;
    return fits && !anyGroup ? payload : unnamed.end();
  }
}
