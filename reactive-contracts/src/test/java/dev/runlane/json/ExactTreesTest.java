package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runlane.run.Json;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a tree keeps of JSON from outside, and what it refuses. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ExactTreesTest {
  private static final JsonMapper MAPPER = ExactTrees.mapper(new JsonFactory());

  @Test
  void numbers_stay_as_they_were_written() throws JsonProcessingException {
    String json = "{\"a\":[10.10,1700000000.123456789,1E+400],\"b\":{\"c\":-0.50},\"d\":null}";

    assertThat(MAPPER.readTree(json)).hasToString(json);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1e99999999999",
        "1e-2147483649",
        "12e2147483647",
        "1e2000000001",
        "1e-2000000001",
        "{\"a\":[{\"b\":-1E99999999999}]}"
      })
  void an_exponent_beyond_two_thousand_million_is_malformed(String json) {
    assertThatThrownBy(() -> MAPPER.readTree(json)).isInstanceOf(JsonParseException.class);
    assertThatThrownBy(() -> MAPPER.readTree(json.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(JsonParseException.class);
    assertThatThrownBy(() -> MAPPER.readerFor(JsonNode.class).readTree(json))
        .isInstanceOf(JsonParseException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"12e999999999", "1e999999999", "0.012e-999999999", "12e1999999999"})
  void what_is_taken_from_outside_is_read_and_so_is_what_is_written_of_it(String json)
      throws JsonProcessingException {
    String written = MAPPER.readTree(json).toString();

    assertThat(new BigDecimal(written)).isEqualTo(new BigDecimal(json));
    assertThat(MAPPER.readTree(written)).hasToString(written);
  }

  @Test
  void a_number_with_as_many_characters_and_as_large_an_exponent_as_payloads_may_have_is_read()
      throws JsonProcessingException {
    String number = "1".repeat(9_989) + "e999999999";

    Json taken = JsonValues.parse("payload", number, JsonLimits.PAYLOAD);

    JsonMapper stored = ExactTrees.mapper(JsonValues.STORED);
    assertThat(stored.readTree(taken.text()).decimalValue()).isEqualTo(new BigDecimal(number));
  }

  @Test
  void nothing_is_a_missing_value_and_null_is_one() throws JsonProcessingException {
    assertThat(MAPPER.readTree(" ").isMissingNode()).isTrue();
    assertThat(MAPPER.readTree("null").isNull()).isTrue();
  }
}
