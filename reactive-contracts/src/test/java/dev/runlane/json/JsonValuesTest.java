package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What comes in as JSON, what does not, and that nothing of it gets into a message. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JsonValuesTest {
  private static final String NESTED_64 = "[".repeat(64) + "]".repeat(64);
  private static final String NESTED_65 = "[".repeat(65) + "]".repeat(65);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "0",
        "-0",
        "1.00",
        "1e2",
        "123456789012345678901234567890.5",
        "\"\"",
        "[ ]",
        "{ \"b\" : 1 ,\n\t\"a\" : [ 1.0 , {} ] }",
        "\"gr\u00fc\u00dfe \u4f60\u597d \ud83d\ude80\"",
        "\"\\u0067 \\ud83d\\ude80 \\/ \\\\ \\\" \\n\\r\\t\\b\\f\"",
        "{\"\":1,\" \":2}",
        "{\"a\":{\"a\":1},\"b\":{\"a\":1}}"
      })
  void one_value_is_kept_exactly_as_it_was_written(String text) {
    assertThat(JsonValues.parse("payload", text, JsonLimits.PAYLOAD).text()).isEqualTo(text);
  }

  @Test
  void the_space_around_a_value_is_not_part_of_it() {
    assertThat(JsonValues.parse("payload", " \n\t[ 1 ]\r\n", JsonLimits.PAYLOAD).text())
        .isEqualTo("[ 1 ]");
    assertThat(JsonValues.parseObject("meta", " {} ", JsonLimits.META).text()).isEqualTo("{}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "   ",
        "secret",
        "'secret'",
        "{secret:1}",
        "{\"secret\":1",
        "{\"secret\":1}}",
        "[\"secret\",]",
        "\"secret",
        "\"secret\" \"secret\"",
        "1 2",
        "{} []",
        "[] null",
        "01",
        ".5",
        "NaN",
        "1.",
        "// secret\n1",
        "{\"secret\":1,\"secret\":2}",
        "{\"a\":{\"secret\":1,\"b\":2,\"secret\":2}}",
        "{\"a\":1,\"\\u0061\":2}",
        "\"secret\0\"",
        "\"secret\n\"",
        "\ud800" + "\"secret\"",
        "[\"secret\"\udc00" + "]",
        "\"secret\\x\"",
        "\u2028\"secret\"",
        "\"secret\"\u00a0",
        "\u0001\"secret\"",
        "\ufeff\"secret\""
      })
  void anything_else_is_refused_and_never_quoted(String text) {
    assertRefused(() -> JsonValues.parse("payload", text, JsonLimits.PAYLOAD));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\\u0000\"",
        "{\"\\u0000\":1}",
        "\"\\ud83d\"",
        "\"\\ude80\\ud83d\"",
        "{\"\\udc00\":1}"
      })
  void an_escape_of_nul_or_half_a_pair_is_data_and_kept(String text) {
    assertThat(JsonValues.parse("payload", text, JsonLimits.PAYLOAD).text()).isEqualTo(text);
  }

  @Test
  void half_a_pair_that_stands_there_raw_is_kept_as_its_escape() {
    String text = "{\"\udc00\":\"\ud83d \ud83d\ude80 \ud83d" + "\\ude80\ud800" + "\"}";

    assertThat(JsonValues.parse("payload", text, JsonLimits.PAYLOAD).text())
        .isEqualTo("{\"\\udc00\":\"\\ud83d \ud83d\ude80 \\ud83d\\ude80\\ud800\"}");
  }

  @Test
  void the_escape_of_half_a_pair_counts_with_all_its_bytes() {
    assertThat(JsonValues.parse("payload", "\"\ud800\"", new JsonLimits(8, 1)).sizeInBytes())
        .isEqualTo(8);
    assertRefused(() -> JsonValues.parse("payload", "\"\ud800\"", new JsonLimits(7, 1)));
  }

  @Test
  void a_number_may_have_ten_thousand_characters() {
    String longest = "1".repeat(10_000);

    assertThat(JsonValues.parse("payload", longest, JsonLimits.PAYLOAD).text()).isEqualTo(longest);
    assertRefused(() -> JsonValues.parse("payload", longest + "1", JsonLimits.PAYLOAD));
  }

  @Test
  void an_exponent_may_have_nine_digits() {
    for (String number : List.of("1e999999999", "-2.5E-999999999", "[1e+000999999999]")) {
      assertThat(JsonValues.parse("payload", number, JsonLimits.PAYLOAD).text()).isEqualTo(number);
    }
    for (String number :
        List.of("1e1000000000", "{\"n\":-2.5E-99999999999}", "[1e+0001000000000]")) {
      assertRefused(() -> JsonValues.parse("payload", number, JsonLimits.PAYLOAD));
    }
  }

  @Test
  void the_depth_is_limited() {
    assertThat(JsonValues.parse("payload", NESTED_64, JsonLimits.PAYLOAD).text())
        .isEqualTo(NESTED_64);
    assertRefused(() -> JsonValues.parse("payload", NESTED_65, JsonLimits.PAYLOAD));
    assertRefused(() -> JsonValues.parse("payload", "{\"a\":[1]}", new JsonLimits(100, 1)));
    assertThat(JsonValues.parse("payload", "1", new JsonLimits(100, 0)).text()).isEqualTo("1");
  }

  @Test
  void a_limit_greater_than_any_parsers_default_holds_too() {
    String deep = "[".repeat(5_000) + "]".repeat(5_000);

    assertThat(JsonValues.parse("payload", deep, new JsonLimits(20_000, 5_000)).text())
        .isEqualTo(deep);
  }

  @Test
  void the_size_is_limited_in_bytes() {
    assertThat(JsonValues.parse("payload", "\"\u00e4\u00e4\"", new JsonLimits(6, 1))
            .text())
        .hasSize(4);
    assertRefused(() -> JsonValues.parse("payload", "\"\u00e4\u00e4\"", new JsonLimits(5, 1)));
    assertRefused(() -> JsonValues.parse("payload", "\"aaaa\"", new JsonLimits(5, 1)));
    String most = "\"" + "a".repeat((1 << 20) - 2) + "\"";
    assertThat(JsonValues.parse("payload", most, JsonLimits.PAYLOAD).sizeInBytes())
        .isEqualTo(1 << 20);
    assertRefused(() -> JsonValues.parse("payload", most + " ", JsonLimits.PAYLOAD));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "null", "[]", "\"{}\""})
  void meta_must_be_an_object(String text) {
    assertRefused(() -> JsonValues.parseObject("meta", text, JsonLimits.META));
  }

  @Test
  void an_object_is_made_of_texts_in_the_order_given() {
    Map<String, String> entries = new LinkedHashMap<>();
    entries.put("z", "1");
    entries.put("a", "\"\n");

    assertThat(JsonValues.object(entries).text()).isEqualTo("{\"z\":\"1\",\"a\":\"\\\"\\n\"}");
    assertThat(JsonValues.object(Map.of()).text()).isEqualTo("{}");
  }

  private static void assertRefused(Runnable call) {
    RunlaneException failure = catchThrowableOfType(RunlaneException.class, call::run);

    assertThat(failure.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    assertThat(failure.getMessage()).doesNotContain("secret");
    assertThat(failure.getCause()).isNull();
  }
}
