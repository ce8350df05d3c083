package dev.runlane.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Backoff;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every options class has from its options. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class OptionValuesTest {
  @Test
  void nothing_is_set_but_the_defaults() {
    Mill mill = new Mill();

    assertThat(mill.stones()).isEqualTo(2);
    assertThat(mill.name()).isEmpty();
    assertThat(mill.toJson()).isEqualTo(new JsonObject("""
        {"stones": 2, "grain": "5s", "pauseFirst": "1s", "pauseMost": "1m", "pauseJitter": 0.5,
         "units": ["SECONDS", "DAYS"], "silence": "1m", "gears": {"teeth": 7}}"""));
    assertThat(new Mill(new JsonObject())).isEqualTo(mill);
  }

  @Test
  void the_json_form_becomes_equal_options_again() {
    Mill mill = changed();

    Mill read = new Mill(new JsonObject(mill.toJson().encode()));

    assertThat(read.set(Mill.HANDLER, mill.handler()).set(Mill.PASSWORD, "hidden"))
        .isEqualTo(mill)
        .hasSameHashCodeAs(mill);
    assertThat(new Mill(mill)).isEqualTo(mill);
    assertThat(read).isNotEqualTo(new Mill());
    assertThat(mill.toJson().getValue("silence")).isNull();
    assertThat(mill.toJson().containsKey("silence")).isTrue();
  }

  @Test
  void durations_are_text_or_whole_milliseconds() {
    assertThat(new Mill(new JsonObject().put("grain", "2m"))).isEqualTo(grain(120_000));
    assertThat(new Mill(new JsonObject().put("grain", 2500))).isEqualTo(grain(2_500));
    assertThat(new Mill(new JsonObject().put("grain", 5_000_000_000L)))
        .isEqualTo(grain(5_000_000_000L));
    assertRefused(() -> new Mill(new JsonObject().put("grain", 0)), "grain must be positive", "0s");
    assertRefused(() -> new Mill(new JsonObject().put("grain", -5)), "but is -5ms");
    assertRefused(
        () -> new Mill(new JsonObject().put("grain", 1.5)),
        "option grain must be a duration such as \"30s\", or whole milliseconds");
    assertRefused(
        () -> new Mill(new JsonObject().put("grain", "1")), "grain: a duration looks like");
  }

  @Test
  void a_duration_that_no_clock_bears_is_refused_like_any_other() {
    for (Duration none : List.of(
        Duration.ofSeconds(Long.MAX_VALUE),
        Duration.ofSeconds(Long.MIN_VALUE),
        Duration.ofMillis(Long.MAX_VALUE).plusMillis(1),
        Duration.ofDays(36_501))) {
      assertRefused(
          () -> new Mill().set(Mill.GRAIN, none), "grain must be positive and at most 36500d");
    }
  }

  @Test
  void a_part_of_a_millisecond_is_refused_where_it_is_set() {
    Duration part = Duration.ofNanos(1_500_000);
    Duration more = Duration.ofMinutes(2);

    assertRefused(
        () -> new Mill().set(Mill.GRAIN, part),
        "grain must be whole milliseconds, but is PT0.0015S");
    assertRefused(
        () -> new Mill().set(Mill.PAUSE, new Backoff(part, more, 0)),
        "pauseFirst must be whole milliseconds");
    assertRefused(
        () -> new Mill().set(Mill.PAUSE, new Backoff(part, more.plusNanos(1), 0)),
        "must be whole milliseconds");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"stone\": 1}",
        "{\"stones\": \"1\"}",
        "{\"stones\": null}",
        "{\"stones\": 0}",
        "{\"stones\": 1.5}",
        "{\"stones\": 10001}",
        "{\"name\": null}",
        "{\"name\": 1}",
        "{\"pause\": \"1s\"}",
        "{\"pauseFirst\": \"1h\"}",
        "{\"pauseJitter\": null}",
        "{\"units\": [\"WEEKS\"]}",
        "{\"units\": [\"HOURS\"]}",
        "{\"units\": \"DAYS\"}",
        "{\"secrets\": {\"a\": 1}}",
        "{\"handler\": {}}",
        "{\"gears\": 1}",
        "{\"gears\": {\"tooth\": 1}}",
        "{\"password\": 1}"
      })
  void what_no_setter_would_take_and_unknown_keys_are_refused(String json) {
    assertRefused(() -> new Mill(new JsonObject(json)));
  }

  @Test
  void setters_check_at_once_and_say_what_is_wanted() {
    Mill mill = new Mill();

    assertRefused(() -> mill.set(Mill.STONES, 0), "stones must be between 1 and 10000, but is 0");
    assertRefused(() -> mill.set(Mill.STONES, null), "stones must not be null");
    assertRefused(() -> mill.set(Mill.UNITS, EnumSet.of(TimeUnit.HOURS)), "units");
    assertThat(mill).isEqualTo(new Mill());
  }

  @Test
  void an_unknown_key_is_told_with_those_there_are() {
    assertRefused(
        () -> new Mill(new JsonObject().put("stone", 1)),
        "a mill has no option stone; it has [gears, grain, name, password, pauseFirst, pauseJitter,"
            + " pauseMost, secrets, silence, stones, units]");
  }

  @Test
  void what_is_set_and_what_is_asked_for_are_copies() {
    Gears gears = new Gears().teeth(3);
    Mill mill = new Mill().set(Mill.GEARS, gears);
    Mill copy = new Mill(mill);

    gears.teeth(4);
    mill.gears().teeth(5);
    mill.set(Mill.STONES, 9);

    assertThat(mill.gears().teeth()).isEqualTo(3);
    assertThat(copy.stones()).isEqualTo(2);
    assertThat(new Mill().gears().teeth()).isEqualTo(7);
  }

  @Test
  void what_may_be_missing_can_be_taken_back() {
    Mill mill = new Mill().set(Mill.NAME, "north").set(Mill.NAME, null);

    assertThat(mill).isEqualTo(new Mill());
    assertThat(new Mill(new JsonObject().putNull("silence")))
        .isEqualTo(new Mill().set(Mill.SILENCE, null));
  }

  @Test
  void nobody_reads_secrets_in_logs() {
    String text = changed().toString();

    assertThat(text)
        .startsWith("Mill{stones=3, name=north, grain=6s, pause=2s to 3s, jitter 0.1")
        .contains("secrets=***", "password=***")
        .doesNotContain("hush", "hidden");
    assertThat(changed().toJson().encode()).contains("hush").doesNotContain("hidden");
  }

  @Test
  void a_table_can_be_made_of_the_options() {
    assertThat(new Mill().describe())
        .startsWith(
            new OptionDescription("stones", List.of("stones"), "1 to 10 000", "2"),
            new OptionDescription("name", List.of("name"), "text, not empty", null),
            new OptionDescription("grain", List.of("grain"), "duration, at least 1 ms", "5s"));
  }

  private static Mill changed() {
    return new Mill()
        .set(Mill.STONES, 3)
        .set(Mill.NAME, "north")
        .set(Mill.GRAIN, Duration.ofSeconds(6))
        .set(Mill.PAUSE, new Backoff(Duration.ofSeconds(2), Duration.ofSeconds(3), 0.1))
        .set(Mill.UNITS, Set.of(TimeUnit.DAYS))
        .set(Mill.SECRETS, Map.of("a", "hush"))
        .set(Mill.PASSWORD, "hidden")
        .set(Mill.SILENCE, null)
        .set(Mill.GEARS, new Gears().teeth(8))
        .set(Mill.HANDLER, () -> {});
  }

  private static Mill grain(long millis) {
    return new Mill().set(Mill.GRAIN, Duration.ofMillis(millis));
  }

  private static void assertRefused(ThrowingCallable call, String... texts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID))
        .message()
        .satisfies(message -> assertThat(List.of(texts)).allMatch(message::contains));
  }

  /** Options of every kind. */
  private static final class Mill extends OptionValues<Mill> {
    private static final OptionSet OPTIONS = OptionSet.of("a mill");
    static final Option<Integer> STONES = OPTIONS.add("stones", 2, OptionTypes.whole(1, 10_000));
    static final Option<String> NAME = OPTIONS.add("name", null, OptionTypes.filled());
    static final Option<Duration> GRAIN =
        OPTIONS.add("grain", Duration.ofSeconds(5), OptionTypes.duration());
    static final Option<Backoff> PAUSE = OPTIONS.add(
        "pause",
        new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1), 0.5),
        OptionTypes.backoff());
    static final Option<Set<TimeUnit>> UNITS = OPTIONS.add(
        "units",
        EnumSet.of(TimeUnit.DAYS, TimeUnit.SECONDS),
        OptionTypes.choices(List.of(TimeUnit.SECONDS, TimeUnit.DAYS), TimeUnit::name));
    static final Option<Map<String, String>> SECRETS =
        OPTIONS.add("secrets", null, OptionTypes.textMap().masked());
    static final Option<String> PASSWORD =
        OPTIONS.add("password", null, OptionTypes.text().unwritten());
    static final Option<Duration> SILENCE =
        OPTIONS.addNullable("silence", Duration.ofMinutes(1), OptionTypes.duration());
    static final Option<Gears> GEARS =
        OPTIONS.add("gears", new Gears(), OptionTypes.nested(Gears::new, Gears::new));
    static final Option<Runnable> HANDLER = OPTIONS.add("handler", null, OptionTypes.code());

    Mill() {
      super(OPTIONS);
    }

    Mill(Mill other) {
      super(other);
    }

    Mill(JsonObject json) {
      super(OPTIONS, json);
    }

    int stones() {
      return get(STONES);
    }

    Optional<String> name() {
      return find(NAME);
    }

    Gears gears() {
      return get(GEARS);
    }

    @Nullable
    Runnable handler() {
      return orNull(HANDLER);
    }
  }

  /** Options inside of others. */
  private static final class Gears extends OptionValues<Gears> {
    private static final OptionSet OPTIONS = OptionSet.of("gears");
    private static final Option<Integer> TEETH = OPTIONS.add("teeth", 7, OptionTypes.whole(1));

    Gears() {
      super(OPTIONS);
    }

    Gears(Gears other) {
      super(other);
    }

    Gears(JsonObject json) {
      super(OPTIONS, json);
    }

    int teeth() {
      return get(TEETH);
    }

    Gears teeth(int teeth) {
      return set(TEETH, teeth);
    }
  }
}
