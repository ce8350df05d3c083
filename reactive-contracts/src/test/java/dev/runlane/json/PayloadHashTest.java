package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class PayloadHashTest {
  @Test
  void it_is_the_sha_256_of_the_text_with_sorted_fields() throws Exception {
    assertThat(hash("{ \"b\": [1, 2.50, {\"d\":null,\"c\":true}], \"a\": \"x\\u0041\\n\" }"))
        .isEqualTo(sha256("{\"a\":\"xA\\n\",\"b\":[1,2.5,{\"c\":true,\"d\":null}]}"));
  }

  @Test
  void it_does_not_depend_on_how_a_value_is_written() {
    assertThat(hash("{\"a\":1,\"b\":2}")).isEqualTo(hash("{\"b\":2.0, \"a\":1e0}"));
    assertThat(hash("0")).isEqualTo(hash("-0.0"));
    assertThat(hash("\"\u00e4\"")).isEqualTo(hash("\"\\u00e4\""));
  }

  @Test
  void it_depends_on_the_value() {
    assertThat(hash("[1,2]")).isNotEqualTo(hash("[2,1]"));
    assertThat(hash("null")).isNotEqualTo(hash("\"null\""));
    assertThat(hash("1")).isNotEqualTo(hash("\"1\""));
    assertThat(hash("{}")).isNotEqualTo(hash("[]"));
  }

  @Test
  void a_huge_exponent_takes_no_room() {
    assertThat(hash("1e999999999")).hasSize(64).isNotEqualTo(hash("1e999999998"));
  }

  @Test
  void what_is_no_json_is_refused() {
    for (String malformed : new String[] {"", "{", "{\"a\":}"}) {
      assertThatThrownBy(() -> hash(malformed)).isInstanceOf(RunlaneException.class);
    }
  }

  private static String hash(String text) {
    return PayloadHash.of(Json.ofChecked(text));
  }

  private static String sha256(String text) throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest);
  }
}
