package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import com.fasterxml.jackson.databind.module.SimpleModule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.time.DayOfWeek;
import java.time.Instant;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class JsonCodecTest {
  private static final JsonCodec CODEC = JsonCodec.standard();

  record Order(String id, JsonObject details, Optional<JsonArray> lines, Instant at) {}

  record Raw(Json json) {}

  record Exact(long whole, BigDecimal decimal, double zero) {}

  @Test
  void a_list_in_an_object_stays_a_list() {
    assertThat(text(new JsonObject().put("l", new JsonArray().add(1)))).isEqualTo("{\"l\":[1]}");
    Order order = new Order(
        "o",
        new JsonObject().put("l", List.of(1)).put("m", Map.of("a", 1)).putNull("n"),
        Optional.of(new JsonArray().add(new JsonObject())),
        Instant.EPOCH);

    Json json = CODEC.encode("order", order, JsonLimits.PAYLOAD);

    assertThat(json.text())
        .isEqualTo("{\"id\":\"o\",\"details\":{\"l\":[1],\"m\":{\"a\":1},\"n\":null},"
            + "\"lines\":[{}],\"at\":\"1970-01-01T00:00:00Z\"}");
    assertThat(CODEC.decode("order", json, Order.class)).isEqualTo(order);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "1.0",
        "0",
        "0.0",
        "-0.0",
        "9007199254740993",
        "123456789012345678901234567890",
        "0.1",
        "1.0E-5",
        "0.1234567890123456789",
        "1E+400",
        "123456789012345678901234567890.12345678901234567890"
      })
  void a_number_in_anything_without_a_type_keeps_its_value(String number) {
    String text = "{\"n\":" + number + "}";

    assertThat(through(text, JsonObject.class)).isEqualTo(text);
    assertThat(through(text, Object.class)).isEqualTo(text);
    assertThat(through(text, Map.class)).isEqualTo(text);
    assertThat(through(text, Json.class)).isEqualTo(text);
    assertThat(PayloadHash.of(Json.ofChecked(through(text, JsonNode.class))))
        .isEqualTo(PayloadHash.of(Json.ofChecked(text)));
  }

  @Test
  void a_negative_whole_zero_keeps_its_sign() {
    assertThat(CODEC.decode("n", Json.ofChecked("[-0]"), JsonArray.class).getDouble(0))
        .isEqualTo(-0.0);
  }

  @Test
  void a_typed_number_is_what_its_type_can_hold() {
    Json json = Json.ofChecked(
        "{\"whole\":9007199254740993," + "\"decimal\":0.1234567890123456789,\"zero\":-0.0}");

    Exact exact = CODEC.decode("exact", json, Exact.class);

    assertThat(exact)
        .isEqualTo(new Exact(9007199254740993L, new BigDecimal("0.1234567890123456789"), -0.0));
    assertThat(CODEC.decode("n", Json.ofChecked("9007199254740993"), Double.class))
        .isEqualTo(9007199254740992.0);
  }

  @Test
  void json_keeps_its_very_text_and_inside_a_value_every_number_as_it_was_written() {
    Json json = Json.ofChecked("{ \"b\" : [ 1.10e+5, -0, 1.0 ] }");

    assertThat(CODEC.decode("json", json, Json.class)).isEqualTo(json);
    Json raw = CODEC.encode("raw", new Raw(json), JsonLimits.PAYLOAD);
    assertThat(CODEC.decode("raw", raw, Raw.class).json().text())
        .isEqualTo("{\"b\":[1.10e+5,-0,1.0]}");
    assertThat(CODEC
            .decode("raw", Json.ofChecked("{\"json\":null}"), Raw.class)
            .json()
            .text())
        .isEqualTo("null");
    assertThat(CODEC
            .decode("raw", Json.ofChecked("{\"json\":\"\\ud800\"}"), Raw.class)
            .json()
            .text())
        .isEqualTo("\"\\ud800\"");
  }

  @Test
  void what_the_getters_of_an_object_read_is_written_for_them() {
    Buffer bytes = Buffer.buffer(new byte[] {-1, -2, 0, 62, 63});
    JsonObject object = new JsonObject()
        .put("instant", Instant.parse("2026-03-04T12:00:00.000001Z"))
        .put("buffer", bytes)
        .put("bytes", bytes.getBytes())
        .put("day", DayOfWeek.FRIDAY);

    JsonObject back = VertxJson.object(VertxJson.of(object));

    assertThat(back.getInstant("instant")).isEqualTo(object.getInstant("instant"));
    assertThat(back.getBuffer("buffer")).isEqualTo(bytes);
    assertThat(back.getBinary("bytes")).isEqualTo(bytes.getBytes());
    assertThat(back.getString("day")).isEqualTo("FRIDAY");
    assertThat(VertxJson.of(object).text()).isEqualTo(object.encode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"_-8-\"", "\"/+8+\"", "\"_w\"", "\"/w==\"", "\"\""})
  void a_buffer_is_read_from_either_alphabet_of_base64(String text) {
    Buffer buffer = CODEC.decode("bytes", Json.ofChecked(text), Buffer.class);

    assertThat(text(buffer)).isEqualTo(text.replace('+', '-').replace('/', '_').replace("=", ""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "1", "\"text\"", "true"})
  void an_object_is_read_from_nothing_else(String text) {
    assertRefused(() -> CODEC.decode("value", Json.ofChecked(text), JsonObject.class));
    assertRefused(() -> CODEC.decode("value", Json.ofChecked("{}"), JsonArray.class));
    assertRefused(() -> CODEC.decode("value", Json.ofChecked("{}"), Buffer.class));
    assertRefused(() -> CODEC.decode("value", Json.ofChecked("\"secret*\""), Buffer.class));
  }

  @Test
  void numbers_that_are_none_in_json_are_refused_in_objects() {
    for (Object none : List.of(Double.NaN, Double.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY)) {
      assertRefused(() -> VertxJson.of(new JsonObject().put("secret", none)));
      assertRefused(() -> VertxJson.of(new JsonArray().add(none)));
    }
    assertRefused(() -> CODEC.decode("n", Json.ofChecked("1e99999999999"), JsonNode.class));
    assertRefused(() -> CODEC.decode("n", Json.ofChecked("[1e99999999999]"), JsonArray.class));
  }

  @Test
  void a_number_of_ten_thousand_digits_that_passed_the_check_can_be_read() {
    String text = "[" + "1".repeat(10_000) + "]";

    assertThat(through(text, JsonArray.class)).isEqualTo(text);
  }

  @Test
  void a_value_without_end_is_refused_before_it_fills_the_memory() {
    AtomicInteger asked = new AtomicInteger();
    List<Integer> endless = new AbstractList<>() {
      @Override
      public Integer get(int index) {
        asked.incrementAndGet();
        return index;
      }

      @Override
      public int size() {
        return Integer.MAX_VALUE;
      }
    };

    assertThatThrownBy(() -> CODEC.encode("output", endless, new JsonLimits(100_000, 64)))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> {
          assertThat(refused.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
          assertThat(refused)
              .hasMessageStartingWith(
                  "output must have at most 100000 bytes of UTF-8, but has more than 19");
        });
    assertThat(asked.get()).isLessThan(100_000);
  }

  @Test
  void what_is_a_little_too_large_is_told_with_its_size() {
    assertThatThrownBy(() -> CODEC.encode("output", "x".repeat(150), new JsonLimits(100, 64)))
        .hasMessage("output must have at most 100 bytes of UTF-8, but has 152");
  }

  @Test
  void text_is_read_where_it_is_one_object_and_nothing_else() {
    assertThat(VertxJson.read(" {\"a\":{\"b\":[1,{}]},\"c\":null} "))
        .isEqualTo(new JsonObject()
            .put("a", new JsonObject().put("b", new JsonArray().add(1).add(new JsonObject())))
            .putNull("c"));
    for (String other :
        List.of("", "null", "[]", "1", "{", "{\"a\":}", "{} {}", "{\"a\":" + "[".repeat(100_000))) {
      assertRefused(() -> VertxJson.read(other));
    }
  }

  @Test
  void a_text_is_quoted() {
    assertThat(JsonValues.text("a\"\u0000\u00e4\\").text()).isEqualTo("\"a\\\"\\u0000\u00e4\\\\\"");
  }

  @Test
  void a_mapper_of_the_application_gets_the_module_on_a_copy_in_front_of_its_own() {
    ObjectMapper mine = new ObjectMapper()
        .registerModule(new SimpleModule()
            .addSerializer(
                JsonObject.class, new com.fasterxml.jackson.databind.ser.std.ToStringSerializer()))
        .activateDefaultTyping(
            BasicPolymorphicTypeValidator.builder()
                .allowIfBaseType(Object.class)
                .build(),
            ObjectMapper.DefaultTyping.NON_FINAL);
    JsonCodec codec = JsonCodec.of(mine);
    JsonObject object = new JsonObject().put("l", new JsonArray().add(1));

    Json json = codec.encode("object", object, JsonLimits.PAYLOAD);

    assertThat(json.text()).isEqualTo("{\"l\":[1]}");
    assertThat(codec.decode("object", json, JsonObject.class)).isEqualTo(object);
    assertThat(mine.getRegisteredModuleIds()).doesNotContain("runlane");
  }

  private static String through(String text, Class<?> type) {
    return text(CODEC.decode("value", Json.ofChecked(text), type));
  }

  private static String text(Object value) {
    return CODEC.encode("value", value, JsonLimits.PAYLOAD).text();
  }

  private static void assertRefused(Runnable call) {
    assertThatThrownBy(call::run).isInstanceOfSatisfying(RunlaneException.class, failure -> {
      assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(failure.getMessage()).doesNotContain("secret*");
    });
  }
}
