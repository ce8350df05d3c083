package dev.runlane.conformance.drawn;

import dev.runlane.conformance.model.PruneAndLook;
import dev.runlane.run.Environment;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes commands wrong, or at least other, in one field. */
public final class Spoiler {
  /** What a storage holds a projection to; all else in it is the reducer's. */
  private static final Set<String> CHECKED_OF_PROJECTIONS =
      Set.of("id", "environment", "eventSequence", "lease");

  private final Random random;

  private Spoiler(Random random) {
    this.random = random;
  }

  /** The command with one field changed, or as it is where the change that was drawn makes no record. */
  public static Object spoil(Object command, Random random) {
    try {
      return new Spoiler(random).record(command);
    } catch (NullPointerException
        | DateTimeException
        | ArithmeticException
        | IllegalArgumentException refused) {
      return command;
    }
  }

  private Object record(Object value) {
    Shape shape = Shape.of(value);
    List<@Nullable Object> parts = shape.partsOf(value);
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      String name = shape.names().get(i);
      if (value instanceof RunRecord
          ? CHECKED_OF_PROJECTIONS.contains(name)
          : !name.equals("runIds") || !(value instanceof PruneAndLook)) {
        open.add(i);
      }
    }
    if (open.isEmpty()) {
      return value;
    }
    int index = open.get(random.nextInt(open.size()));
    parts.set(index, other(parts.get(index)));
    return shape.make(parts);
  }

  private @Nullable Object other(@Nullable Object value) {
    if (value instanceof Environment environment) {
      return new Environment(text(environment.name()));
    }
    if (value instanceof String text) {
      return text(text);
    }
    if (value instanceof Integer number) {
      return anyOf(List.of(0, -1, number + 1, Integer.MAX_VALUE, Integer.MIN_VALUE));
    }
    if (value instanceof Long number) {
      return anyOf(List.of(0L, -1L, number + 1, number - 1, 1L << 53, (1L << 53) - 1));
    }
    if (value instanceof Double number) {
      return anyOf(List.of(Double.NaN, Double.POSITIVE_INFINITY, 1 - number, number + 0.5, 1e-300));
    }
    if (value instanceof Boolean flag) {
      return !flag;
    }
    if (value instanceof Instant instant) {
      return anyOf(List.of(
          instant.plusNanos(1_000),
          instant.minusNanos(1),
          instant.plusSeconds(1),
          Instant.parse("9999-12-31T23:59:59.999999999Z"),
          Instant.parse("+10000-01-01T00:00:00Z"),
          Instant.parse("0001-01-01T00:00:00Z"),
          Instant.parse("0000-12-31T23:59:59.999999Z")));
    }
    if (value instanceof Duration duration) {
      return anyOf(List.of(
          Duration.ZERO,
          Duration.ofNanos(999),
          Duration.ofNanos(1_000),
          duration.negated(),
          Duration.ofDays(36_500),
          Duration.ofDays(36_500).plusNanos(1)));
    }
    if (value instanceof List<?> list) {
      return list(list);
    }
    return value instanceof Record && !(value instanceof Json) ? record(value) : value;
  }

  private String text(String text) {
    return anyOf(List.of(
        "",
        text + ":",
        text + "\0",
        text + "\ud800",
        text + " ",
        text.toUpperCase(Locale.ROOT),
        text.substring(0, text.length() / 2),
        text + text,
        "x".repeat(129),
        "\u00e4".repeat(65),
        "y".repeat(513)));
  }

  private List<@Nullable Object> list(List<?> list) {
    List<@Nullable Object> changed = new ArrayList<>(list);
    if (changed.isEmpty()) {
      return changed;
    }
    int index = random.nextInt(changed.size());
    switch (random.nextInt(4)) {
      case 0 -> changed.remove(index);
      case 1 -> changed.add(changed.get(index));
      default -> changed.set(index, other(changed.get(index)));
    }
    return changed;
  }

  private <T> T anyOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
