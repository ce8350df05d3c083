package dev.runlane.conformance.kit;

import dev.runlane.json.JsonLimits;
import dev.runlane.json.JsonValues;
import dev.runlane.run.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/** JSON texts that hold whatever JSON lets a text hold: every UTF-16 code unit, escaped, raw and in any company. */
public final class JsonTexts {
  private static final int UNITS = 0x10000;
  private static final int RANDOM_TEXTS = 20;
  private static final int RANDOM_LENGTH = 200;
  private static final long SEED = 7;

  private JsonTexts() {}

  /** As they came through the check that everything from outside goes through. */
  public static List<Json> all() {
    List<String> texts = new ArrayList<>();
    texts.add(quoted(IntStream.range(0, UNITS).mapToObj(JsonTexts::escape).toList()));
    texts.add(
        quoted(IntStream.range(0, UNITS).mapToObj(unit -> raw((char) unit)).toList()));
    texts.add("{\"\\u0000\":[\"\\u0000\"],\"\\ud800\":\"\\udc00\\ud800\",\"a\\\\u0000\":null}");
    Random random = new Random(SEED);
    for (int i = 0; i < RANDOM_TEXTS; i++) {
      texts.add(quoted(random
          .ints(RANDOM_LENGTH, 0, 4 * UNITS)
          .mapToObj(drawn -> drawn(drawn / UNITS, drawn % UNITS))
          .toList()));
    }
    return texts.stream()
        .map(text -> JsonValues.parse("the text", text, JsonLimits.PAYLOAD))
        .toList();
  }

  /** Halves of pairs are as likely as all other units together, raw ones as escaped ones. */
  private static String drawn(int kind, int unit) {
    char half = (char) (Character.MIN_SURROGATE + unit % 0x800);
    return switch (kind) {
      case 0 -> escape(unit);
      case 1 -> raw((char) unit);
      case 2 -> escape(half);
      default -> raw(half);
    };
  }

  private static String quoted(List<String> units) {
    return '"' + String.join("", units) + '"';
  }

  private static String escape(int unit) {
    return String.format(Locale.ROOT, "\\u%04x", unit);
  }

  private static String raw(char unit) {
    return unit < ' ' || unit == '"' || unit == '\\' ? escape(unit) : String.valueOf(unit);
  }
}
