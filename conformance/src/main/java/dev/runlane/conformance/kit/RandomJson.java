package dev.runlane.conformance.kit;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * JSON values of every kind, drawn from a seed: any text at all (NUL and halves of surrogate pairs among it), and
 * numbers that a careless reader changes. They are made as a reader makes them, so that what comes back must be
 * equal, and its text too.
 */
public final class RandomJson {
  private static final int DEEPEST = 3;
  private static final int MOST_ENTRIES = 5;
  private static final List<String> TEXTS =
      List.of("", "\0", "\ud83d", "\ude80\ud83d", "\ud83d\ude80", "a\\u0000", "\u2028");
  private static final List<Number> NUMBERS = List.of(
      0,
      1,
      1.0,
      -0.0,
      0.1,
      (1L << 53) + 1,
      Long.MIN_VALUE,
      Double.MIN_VALUE,
      Double.MAX_VALUE,
      BigInteger.TEN.pow(40),
      new BigDecimal("0.1234567890123456789"),
      new BigDecimal("1E+400"));

  private final Random random;

  /** The values of this seed, the same each time. */
  public RandomJson(long seed) {
    random = new Random(seed);
  }

  /** An object; what it holds are texts, numbers, flags, nulls, maps and lists. */
  public JsonObject object() {
    return new JsonObject(fields(DEEPEST));
  }

  /** An array, of the same. */
  public JsonArray array() {
    return new JsonArray(List.of(fields(DEEPEST), fields(1)));
  }

  /** Up to 64 bytes. */
  public byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(65)];
    random.nextBytes(bytes);
    return bytes;
  }

  private Map<String, @Nullable Object> fields(int depth) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    for (int i = random.nextInt(MOST_ENTRIES + 1); i > 0; i--) {
      fields.put(text(), value(depth));
    }
    return fields;
  }

  private @Nullable Object value(int depth) {
    return switch (random.nextInt(depth == 0 ? 5 : 7)) {
      case 0 -> text();
      case 1 -> NUMBERS.get(random.nextInt(NUMBERS.size()));
      case 2 -> random.nextInt();
      case 3 -> random.nextBoolean();
      case 4 -> null;
      case 5 -> fields(depth - 1);
      default -> Arrays.asList(value(depth - 1), value(depth - 1));
    };
  }

  private String text() {
    StringBuilder text = new StringBuilder(TEXTS.get(random.nextInt(TEXTS.size())));
    random.ints(random.nextInt(5), 0, 0x10000).forEach(unit -> text.append((char) unit));
    return text.toString();
  }
}
