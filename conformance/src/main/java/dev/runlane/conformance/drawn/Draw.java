package dev.runlane.conformance.drawn;

import dev.runlane.conformance.kit.RandomJson;
import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.run.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the commands of one sequence are drawn from: chance, a clock that often stands at an instant that decides
 * something, and a few ids and values that are easily taken for each other.
 */
public abstract class Draw {
  /** Each is another one of this list in some collation, normal form, pattern or careless comparison. */
  protected static final List<String> ALPHABET = List.of(
      "a",
      "A",
      "a ",
      " a",
      "b",
      "ab",
      "aa",
      "\u00e4",
      "a\u0308",
      "\ud83d\ude00",
      "\uff5e",
      "9",
      "10",
      "1",
      "a_",
      "a%",
      "a\\",
      "a'",
      "a\n",
      "%",
      "_",
      "null",
      "a,b",
      "{a}",
      "\u0131",
      "I",
      "\u00df",
      "ss",
      "a".repeat(127) + "b",
      "a".repeat(128));

  /** The order of these two by code points is not that by UTF-16. */
  protected static final List<String> TWO_ORDERS = List.of("\uff5e", "\ud83d\ude00");

  /** Each group is one text in some collation, normal form, pattern or order. */
  private static final List<List<String>> ALIKE = List.of(
      List.of("a", "A"),
      List.of("a", "A", "a ", " a"),
      List.of("I", "\u0131", "A", "a"),
      List.of("\u00e4", "a\u0308"),
      List.of("\u00df", "ss", "a"),
      List.of("a_", "a%", "ab"),
      List.of("9", "10", "1"));

  private static final List<String> VALUES = List.of(
      "{}",
      "null",
      "1",
      "1.0",
      "1e0",
      "9007199254740993",
      "-0.0",
      "-0",
      "[]",
      "\"\"",
      "\"\\u0000\"",
      "\"\\ud800\"",
      "{\"a\":null}",
      "{\"a\":1,\"A\":1.0}",
      "{ \"b\" : [ 1 , 1.0 ] , \"a\" : {} }",
      "[[[[[[[[[]]]]]]]]]",
      "0.1234567890123456789012345678901234567890",
      "1E+400",
      "\"a\\/\\u00e4\u00e4\"");

  private static final List<Json> OBJECTS = objects();

  private static final List<Json> JSON =
      Stream.concat(VALUES.stream().map(Json::ofChecked), OBJECTS.stream()).toList();

  private static final List<Instant> BEGINNINGS = List.of(
      Instant.parse("2026-03-04T12:00:00Z"),
      Instant.parse("2026-03-04T12:00:00Z"),
      Instant.parse("2026-10-25T00:59:59.999999Z"),
      Instant.parse("1969-12-31T23:59:58.999999Z"),
      Instant.parse("0001-01-01T00:00:01Z"));

  private final Random random;
  private Instant clock;
  private Supplier<Stream<Instant>> decisive = Stream::empty;
  private int made;

  protected Draw(long seed) {
    this.random = new Random(seed * 31 + 17); // neighbouring seeds begin alike
    for (int i = 0; i < 10; i++) {
      random.nextLong();
    }
    this.clock = BEGINNINGS.get(0);
  }

  /** Where the clock stands first. */
  protected final void begin() {
    clock = anyOf(BEGINNINGS);
  }

  /** Time goes on, often to an instant at which something begins or ends, or to the moment before. */
  public final void goOn(Stream<Instant> decisive) {
    List<Instant> ahead = oneIn(4) ? ahead(decisive) : List.of();
    if (!ahead.isEmpty()) {
      clock = anyOf(ahead).minusNanos(oneIn(4) ? 1_000 : 0);
    } else {
      clock = clock.plus(
          switch (random.nextInt(12)) {
            case 0, 1, 2 -> Duration.ZERO;
            case 3, 4 -> Duration.ofNanos(1_000L * random.nextInt(3));
            case 5, 6, 7 -> Duration.ofMillis(random.nextInt(2_000));
            case 8, 9 -> Duration.ofSeconds(random.nextInt(20));
            case 10 -> Duration.ofSeconds(random.nextInt(400));
            default -> oneIn(4) ? Duration.ofDays(random.nextInt(3)) : Duration.ofMinutes(1);
          });
    }
  }

  /**
   * A caller's time: the clock, sometimes that of one that is behind, and finer than storages keep it. Now and then the
   * clock has gone on to an instant that decides something.
   */
  public final Instant now() {
    if (oneIn(8)) {
      return finer(clock.minusMillis(random.nextInt(4_000)));
    }
    if (oneIn(6)) {
      List<Instant> ahead = ahead(decisive.get());
      return ahead.isEmpty() ? finer(clock) : at(anyOf(ahead));
    }
    return finer(clock);
  }

  /** A caller's time at this instant, or the moment before; now, where it is over: clocks do not go back so far. */
  public final Instant at(Instant instant) {
    Instant about = justAbout(instant);
    clock = about.isBefore(clock) ? clock : about;
    return finer(clock);
  }

  /** The instant, or the moment before. */
  public final Instant justAbout(Instant instant) {
    return instant.minusNanos(oneIn(3) ? 1_000 : 0);
  }

  private List<Instant> ahead(Stream<Instant> instants) {
    return instants
        .filter(instant -> !instant.isBefore(clock))
        .filter(instant -> instant.isBefore(clock.plus(Duration.ofDays(3))))
        .sorted()
        .limit(6)
        .toList();
  }

  private Instant finer(Instant instant) {
    return oneIn(3) ? instant.plusNanos(random.nextInt(1_000)) : instant;
  }

  /** Where instants come from that decide something, whenever they are asked for. */
  public final void decidedAt(Supplier<Stream<Instant>> instants) {
    decisive = instants;
  }

  /** Another text that is easily taken for this one. */
  public final String resembling(String text) {
    return switch (random.nextInt(4)) {
      case 0 -> text + " ";
      case 1 -> text.substring(0, text.offsetByCodePoints(text.length(), -1));
      default -> {
        String upper = text.toUpperCase(Locale.ROOT);
        yield upper.equals(text) ? text.toLowerCase(Locale.ROOT) : upper;
      }
    };
  }

  /** An instant a little later, or the same. */
  public final Instant after(Instant instant) {
    return instant.plus(shortTime()).minusNanos(oneIn(3) ? 1_000 : 0);
  }

  /** Nothing at all to a day, whole seconds often. */
  public final Duration shortTime() {
    return switch (random.nextInt(8)) {
      case 0 -> Duration.ZERO;
      case 1 -> Duration.ofNanos(1_000L * random.nextInt(5));
      case 2 -> Duration.ofMillis(random.nextInt(3_000));
      case 3, 4, 5 -> Duration.ofSeconds(random.nextInt(40));
      case 6 -> Duration.ofMinutes(random.nextInt(10));
      default -> Duration.ofDays(random.nextInt(2));
    };
  }

  /** At least a microsecond, and often a part of one too many. */
  public final Duration claimTime() {
    return shortTime().plusNanos(1_000 + random.nextInt(2_000));
  }

  /** A number that nothing else of the sequence has. */
  public final int unique() {
    made++;
    return made;
  }

  /** So many of the alphabet, mostly such as are easily taken for each other. */
  protected final List<String> names(int count) {
    List<String> all = inAnyOrder(ALPHABET);
    List<String> first = oneIn(3) ? List.of() : inAnyOrder(anyOf(ALIKE));
    return Stream.concat(first.stream(), all.stream()).distinct().limit(count).toList();
  }

  /** Any value. */
  public final Json json() {
    return anyOf(JSON);
  }

  public final @Nullable Json metaOrNull() {
    return oneIn(2) ? anyOf(OBJECTS) : null;
  }

  public final @Nullable Map<String, String> traceOrNull() {
    return switch (random.nextInt(4)) {
      case 0 -> Map.of("traceparent", "00-" + random.nextInt(100));
      case 1 -> oneIn(2) ? Map.of() : Map.of("a", "", "A", "\u00e4\n");
      default -> null;
    };
  }

  /** True once in so many times. */
  public final boolean oneIn(int many) {
    return random.nextInt(many) == 0;
  }

  /** From 0 to one less. */
  public final int upTo(int bound) {
    return random.nextInt(bound);
  }

  /** One of them. */
  public final <T> T anyOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** Most of them, in any order; seldom none. */
  public final <T> List<T> some(List<T> all) {
    return inAnyOrder(all).stream().filter(each -> !oneIn(4)).toList();
  }

  /** Null is another thing than an absent field, and any text may name one. */
  private static List<Json> objects() {
    RandomJson random = new RandomJson(7);
    return Stream.concat(
            Stream.of("{}", "{\"a\":null}"),
            Stream.generate(() -> random.object().encode()).limit(18))
        .map(text -> JsonValues.parse("drawn", text, JsonLimits.META))
        .toList();
  }

  /** All of them, in any order. */
  public final <T> List<T> inAnyOrder(List<T> all) {
    List<T> shuffled = new ArrayList<>(all);
    Collections.shuffle(shuffled, random);
    return List.copyOf(shuffled);
  }

  /** The chance that all is drawn by. */
  public final Random random() {
    return random;
  }
}
