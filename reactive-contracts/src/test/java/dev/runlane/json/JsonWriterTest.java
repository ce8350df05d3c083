package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.run.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What is written without a generator is what one writes. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JsonWriterTest {
  private static final ObjectMapper JACKSON = new ObjectMapper();

  @Test
  void every_character_is_written_as_jackson_writes_it() throws Exception {
    for (int character = 0; character <= Character.MAX_VALUE; character++) {
      String text = "a" + (char) character + "b";
      JsonWriter writer = new JsonWriter();
      writer.text(text, text);

      assertThat(writer.end())
          .as("U+%04X", character)
          .isEqualTo(JACKSON.writeValueAsString(Map.of(text, text)));
    }
  }

  @Test
  void fields_lists_and_objects_in_any_order_have_their_commas() throws Exception {
    JsonWriter writer = new JsonWriter();
    writer.text("left out", null);
    writer.object("empty", fields -> {});
    writer.textList("texts", List.of("a", "\"b\"", ""));
    writer.objectList("objects", List.of(1, 2), (fields, value) -> {
      fields.number("n", value);
      fields.objectList("inner", List.of(value), (inner, each) -> inner.flag("f", true));
      fields.texts("t", Map.of("k", "v"));
    });
    writer.object("outer", fields -> fields.object("inner", inner -> inner.number("n", -1)));
    writer.json("raw", Json.ofChecked("[1.0,2e3]"));
    writer.decimalOrNull("whole", 4.0);
    writer.decimalOrNull("half", 0.5);
    writer.decimalOrNull("none", Double.NaN);
    writer.flag("last", false);

    ObjectNode expected =
        (ObjectNode) JACKSON.readTree("{\"empty\":{},\"texts\":[\"a\",\"\\\"b\\\"\",\"\"],"
            + "\"objects\":[{\"n\":1,\"inner\":[{\"f\":true}],\"t\":{\"k\":\"v\"}},"
            + "{\"n\":2,\"inner\":[{\"f\":true}],\"t\":{\"k\":\"v\"}}],\"outer\":{\"inner\":{\"n\":-1}},"
            + "\"raw\":[1.0,2e3],\"whole\":4,\"half\":0.5,\"none\":\"NaN\",\"last\":false}");
    String written = writer.end();
    assertThat(JACKSON.readTree(written)).isEqualTo(expected);
    assertThat(written).contains("\"raw\":[1.0,2e3]", "\"whole\":4,");
  }
}
