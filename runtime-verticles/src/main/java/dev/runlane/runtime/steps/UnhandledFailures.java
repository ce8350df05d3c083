package dev.runlane.runtime.steps;

import dev.runlane.json.JsonValues;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Failures of steps that the handler of one attempt was given and asked for nothing after, in their own turn: whether
 * it has dealt with them shows only later, when other branches have gone on. An attempt that ends with one of them
 * names them in its {@code run.retry_scheduled}, so that the next attempt looks whether it may do these steps anew.
 */
final class UnhandledFailures {
  /** The key, in the meta of {@code run.retry_scheduled}, of their positions. */
  static final String FAILED_STEPS = "failedSteps";

  private static final Pattern POSITIONS =
      Pattern.compile("\"" + FAILED_STEPS + "\"\\s*:\\s*\"(\\d{1,9}(?:,\\d{1,9})*)\"");

  private final Map<Integer, Throwable> failures = new TreeMap<>(); // by position

  /** The handler was given the failure of a step and asked for nothing in that turn. */
  void add(int position, Throwable failure) {
    failures.put(position, failure);
  }

  /** The events of an attempt's end, the retry among them with the steps it is to look at. */
  List<RunEvent> named(List<RunEvent> events, @Nullable Throwable cause) {
    return isAmong(cause) ? events.stream().map(this::named).toList() : events;
  }

  private boolean isAmong(@Nullable Throwable cause) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Throwable each = cause; each != null && seen.add(each); each = each.getCause()) {
      Throwable wanted = each;
      if (failures.values().stream().anyMatch(failure -> failure == wanted)) {
        return true;
      }
    }
    return false;
  }

  private RunEvent named(RunEvent event) {
    if (!(event instanceof RunEvent.RetryScheduled retry)) {
      return event;
    }
    String positions =
        failures.keySet().stream().map(String::valueOf).collect(Collectors.joining(","));
    return new RunEvent.RetryScheduled(
        retry.header().withMeta(JsonValues.object(Map.of(FAILED_STEPS, positions))),
        retry.attempt(),
        retry.failure(),
        retry.retryAt());
  }

  /** The positions that a retry names; none where its writer knew nothing of it. */
  static Set<Integer> of(RunEvent.RetryScheduled event) {
    Json meta = event.header().meta();
    Matcher found = POSITIONS.matcher(meta == null ? "" : meta.text());
    return found.find()
        ? Pattern.compile(",")
            .splitAsStream(found.group(1))
            .map(Integer::valueOf)
            .collect(Collectors.toSet())
        : Set.of();
  }
}
