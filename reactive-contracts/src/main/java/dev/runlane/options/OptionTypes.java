package dev.runlane.options;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The types of options that modules share. */
public final class OptionTypes {
  private static final Duration LONGEST_WRITTEN = Duration.ofMillis(Long.MAX_VALUE);

  private OptionTypes() {}

  /** Whole numbers. */
  public static OptionType<Integer> whole() {
    return integer("whole number", (name, value) -> value);
  }

  /** Whole numbers from {@code least} on. */
  public static OptionType<Integer> whole(int least) {
    return integer(
        "at least " + number(least),
        (name, value) -> OptionChecks.requireAtLeast(least, name, value));
  }

  /** Whole numbers from {@code least} to {@code most}. */
  public static OptionType<Integer> whole(int least, int most) {
    return integer(number(least) + " to " + number(most), (name, value) -> {
      if (value < least || value > most) {
        throw RunlaneException.configurationInvalid(
            "%s must be between %d and %d, but is %d", name, least, most, value);
      }
      return value;
    });
  }

  /** Whole numbers of 64 bits from {@code least} on. */
  public static OptionType<Long> wholeLong(long least) {
    return OptionType.<Long>of("a whole number", OptionTypes::readLong, value -> value)
        .checked("at least " + number(least), (name, value) -> {
          if (value < least) {
            throw RunlaneException.configurationInvalid(
                "%s must be at least %d, but is %d", name, least, value);
          }
          return value;
        });
  }

  /** Durations above zero, up to 36 500 days, of whole milliseconds, as all durations of options are. */
  public static OptionType<Duration> duration() {
    return durations("duration, at least 1 ms", OptionChecks::requirePositive);
  }

  /** Durations above zero, up to {@code most}. */
  public static OptionType<Duration> duration(Duration most) {
    return durations(
        "duration, 1 ms to " + OptionChecks.show(most),
        (name, value) -> OptionChecks.requirePositive(name, value, most));
  }

  /** Durations from zero on. */
  public static OptionType<Duration> durationOrZero() {
    return durations("duration, 0 or more", OptionChecks::requireNotNegative);
  }

  /**
   * Any duration, of any precision, as callers compute it; in JSON the next whole millisecond, a negative one as a
   * number of milliseconds. Who gets it checks it.
   */
  public static OptionType<Duration> computedDuration() {
    return OptionType.of("a duration", OptionChecks::durationOf, OptionTypes::written)
        .described(OptionChecks::show)
        .checked("duration", (name, value) -> value);
  }

  /** What is beyond all that can be written, and is no duration that anything takes, as the longest that can be. */
  private static Object written(Duration computed) {
    if (computed.compareTo(LONGEST_WRITTEN) > 0) {
      return Durations.format(LONGEST_WRITTEN);
    }
    if (computed.compareTo(LONGEST_WRITTEN.negated()) < 0) {
      return LONGEST_WRITTEN.negated().toMillis();
    }
    Duration whole = computed.truncatedTo(ChronoUnit.MILLIS);
    Duration roundedUp = whole.compareTo(computed) < 0 ? whole.plusMillis(1) : whole;
    return roundedUp.isNegative() ? roundedUp.toMillis() : Durations.format(roundedUp);
  }

  /** Durations of whole milliseconds that {@code check} lets through. */
  public static OptionType<Duration> durations(
      String range, BiFunction<String, Duration, Duration> check) {
    return OptionType.of("a duration", OptionChecks::durationOf, Durations::format)
        .described(OptionChecks::show)
        .checked(range, check)
        .checked(range, OptionChecks::requireWholeMillis);
  }

  /** True or false. */
  public static OptionType<Boolean> flag() {
    return OptionType.of("true or false", of(Boolean.class, "true or false"), value -> value);
  }

  /** Any text. */
  public static OptionType<String> text() {
    return OptionType.of("text", of(String.class, "text"), value -> value);
  }

  /** Text that is not blank. */
  public static OptionType<String> filled() {
    return text().checked("text, not empty", (name, value) -> {
      if (value.isBlank()) {
        throw RunlaneException.configurationInvalid("%s must not be empty", name);
      }
      return value;
    });
  }

  /** Ids: what may name a run, a queue or a worker. */
  public static OptionType<String> id() {
    return id(ContractDefaults.MAX_ID_BYTES);
  }

  /** Ids of at most {@code mostBytes} bytes of UTF-8. */
  public static OptionType<String> id(int mostBytes) {
    return text().checked("id of at most %s bytes".formatted(mostBytes), (name, value) -> {
      Identifiers.fault(value, mostBytes).ifPresent(fault -> {
        throw RunlaneException.configurationInvalid("%s %s", name, fault);
      });
      return value;
    });
  }

  /**
   * One of a few values with names.
   *
   * @param all the values, in the order in which they are listed
   * @param value the name of one
   */
  public static <T> OptionType<T> choice(List<T> all, Function<T, String> value) {
    String names = String.join(", ", all.stream().map(value).toList());
    return OptionType.of(names, (name, json) -> chosen(all, value, name, json), value::apply);
  }

  /** Several of a few values with names, each at most once and in this order. */
  public static <T> OptionType<Set<T>> choices(List<T> all, Function<T, String> value) {
    String range = "list of " + String.join(", ", all.stream().map(value).toList());
    return OptionType.<Set<T>>of(
            range,
            (name, json) -> elements(name, json, "a list")
                .map(element -> chosen(all, value, name, element))
                .collect(Collectors.toSet()),
            chosen -> array(chosen.stream().map(value)))
        .described(chosen -> chosen.size() == all.size()
            ? "all"
            : String.join(", ", chosen.stream().map(value).toList()))
        .checked(range, (name, chosen) -> {
          chosen.forEach(each -> chosen(all, value, name, value.apply(each)));
          Set<T> ordered = new LinkedHashSet<>(all);
          ordered.retainAll(chosen);
          return Collections.unmodifiableSet(ordered);
        });
  }

  /** Lists of texts. */
  public static OptionType<List<String>> texts() {
    return OptionType.<List<String>>of(
            "list of texts",
            (name, json) -> elements(name, json, "a list of texts")
                .map(of(String.class, "a list of texts", name))
                .toList(),
            texts -> array(texts.stream()))
        .copied(List::copyOf);
  }

  /** Texts with names. */
  public static OptionType<Map<String, String>> textMap() {
    return OptionType.<Map<String, String>>of(
            "texts by name",
            (name, json) -> {
              Map<String, String> texts = new LinkedHashMap<>();
              of(JsonObject.class, "an object", name)
                  .apply(json)
                  .forEach(entry -> texts.put(
                      entry.getKey(),
                      of(String.class, "text", entry.getKey()).apply(entry.getValue())));
              return texts;
            },
            texts -> new JsonObject(new LinkedHashMap<>(texts)))
        .copied(Map::copyOf);
  }

  /** Further options. */
  public static <T extends OptionValues<T>> OptionType<T> nested(
      Function<JsonObject, T> fromJson, UnaryOperator<T> copier) {
    return object("options", fromJson, OptionValues::toJson)
        .copied(copier)
        .described(OptionValues::toString);
  }

  /** What has a JSON form of its own. */
  public static <T> OptionType<T> object(
      String range, Function<JsonObject, T> fromJson, Function<T, JsonObject> toJson) {
    return OptionType.of(
        range,
        (name, json) -> fromJson.apply(of(JsonObject.class, "an object", name).apply(json)),
        toJson::apply);
  }

  /** Lists of what has a JSON form of its own. */
  public static <T> OptionType<List<T>> objects(
      String range, Function<JsonObject, T> fromJson, Function<T, JsonObject> toJson) {
    return OptionType.<List<T>>of(
            range,
            (name, json) -> elements(name, json, "a list of objects")
                .map(of(JsonObject.class, "a list of objects", name))
                .map(fromJson)
                .toList(),
            values -> array(values.stream().map(toJson)))
        .compared(values -> values.stream().map(toJson).toList());
  }

  /**
   * Back-offs, under three keys: those of option {@code backoff} end in {@code First}, {@code Most} and {@code Jitter}.
   */
  public static OptionType<Backoff> backoff() {
    return new BackoffType();
  }

  /** What only code can say, such as a handler: no part of JSON. */
  public static <T> OptionType<T> code() {
    return new CodeType<>();
  }

  private static OptionType<Integer> integer(
      String range, BiFunction<String, Integer, Integer> check) {
    return OptionType.of("a whole number", of(Integer.class, "a whole number"), value -> value)
        .checked(range, check);
  }

  private static Long readLong(String name, Object value) {
    return value instanceof Long number
        ? number
        : of(Integer.class, "a whole number", name).apply(value).longValue();
  }

  private static <T> T chosen(List<T> all, Function<T, String> value, String name, Object json) {
    Optional<T> chosen =
        all.stream().filter(each -> value.apply(each).equals(json)).findFirst();
    return chosen.orElseThrow(() -> RunlaneException.configurationInvalid(
        "option %s must be one of %s, but is %s", name, all.stream().map(value).toList(), json));
  }

  private static Stream<?> elements(String name, Object json, String wanted) {
    return of(JsonArray.class, wanted, name).apply(json).stream();
  }

  private static JsonArray array(Stream<?> elements) {
    return new JsonArray(elements.toList());
  }

  private static <T> BiFunction<String, Object, T> of(Class<T> type, String wanted) {
    return (name, value) -> of(type, wanted, name).apply(value);
  }

  private static <T> Function<Object, T> of(Class<T> type, String wanted, String name) {
    return value -> {
      if (!type.isInstance(value)) {
        throw OptionChecks.wrongType(name, wanted);
      }
      return type.cast(value);
    };
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number).replace(',', ' ');
  }

  private static IllegalStateException unreadable(String name) {
    return new IllegalStateException("option " + name + " has no JSON under its own name");
  }

  /** What only code can say. */
  private static final class CodeType<T> extends OptionType<T> {
    CodeType() {
      super(
          "code",
          (name, value) -> {
            throw unreadable(name);
          },
          value -> null);
    }

    @Override
    List<String> keys(String name) {
      return List.of();
    }

    @Override
    String describe(T value) {
      return value.getClass().getSimpleName();
    }
  }

  /** Three keys, each with a default of its own. */
  private static final class BackoffType extends OptionType<Backoff> {
    BackoffType() {
      super(
          "two durations and 0 up to 1",
          (name, value) -> {
            throw unreadable(name);
          },
          backoff -> null);
    }

    @Override
    List<String> keys(String name) {
      return List.of(name + "First", name + "Most", name + "Jitter");
    }

    @Override
    Backoff accept(String name, Backoff value) {
      OptionChecks.requireWholeMillis(name + "First", value.first());
      OptionChecks.requireWholeMillis(name + "Most", value.most());
      return value;
    }

    @Override
    Backoff read(String name, JsonObject json, @Nullable Backoff byDefault) {
      Backoff missing = byDefault == null ? Backoff.fixed(Duration.ofSeconds(1)) : byDefault;
      Duration[] range = {missing.first(), missing.most()};
      OptionChecks.duration(json, name + "First", first -> range[0] = first);
      OptionChecks.duration(json, name + "Most", most -> range[1] = most);
      Object jitter = json.getValue(name + "Jitter", missing.jitter());
      if (jitter instanceof Number number) {
        return new Backoff(range[0], range[1], number.doubleValue());
      }
      throw OptionChecks.wrongType(name + "Jitter", "a number");
    }

    @Override
    void write(String name, Backoff value, JsonObject json) {
      json.put(name + "First", Durations.format(value.first()))
          .put(name + "Most", Durations.format(value.most()))
          .put(name + "Jitter", value.jitter());
    }

    @Override
    String describe(Backoff value) {
      return "%s to %s, jitter %s"
          .formatted(
              OptionChecks.show(value.first()), OptionChecks.show(value.most()), value.jitter());
    }
  }
}
