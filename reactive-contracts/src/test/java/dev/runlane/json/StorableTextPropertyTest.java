package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever a text says, its repair can be stored. */
class StorableTextPropertyTest {
  @Property
  void repaired_text_survives_utf_8(@ForAll String text) {
    String repaired = StorableText.repaired(text);

    assertThat(repaired).hasSameSizeAs(text).doesNotContain("\0");
    byte[] bytes = repaired.getBytes(StandardCharsets.UTF_8);
    assertThat(new String(bytes, StandardCharsets.UTF_8)).isEqualTo(repaired);
  }
}
