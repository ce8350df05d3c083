package dev.runlane.connector.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class RedactionTest {
  private final Redaction redaction = new Redaction();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "Authorization: Bearer abc def|Authorization: [REDACTED]",
        "authorization=Basic eHl6OnF3|authorization=[REDACTED]",
        "sent Bearer ab.cd-ef to it|sent Bearer [REDACTED] to it",
        "password=hunter2 retrying|password=[REDACTED] retrying",
        "password: correct horse battery|password: [REDACTED]",
        "password = 'two words' next|password = [REDACTED] next",
        "PASSWD=\"two \\\" words\" next|PASSWD=[REDACTED] next",
        "token=aaa.bbb.ccc&page=2|token=[REDACTED]&page=2",
        "{\"access_token\":\"a b\",\"page\":2}|{\"access_token\":[REDACTED],\"page\":2}",
        "{\\\"secret\\\":\\\"a b\\\",\\\"page\\\":2}|{\\\"secret\\\":[REDACTED],\\\"page\\\":2}",
        "X-Api-Key: zzz|X-Api-Key: [REDACTED]",
        "api_key => zz top|api_key => [REDACTED] top",
        "Set-Cookie: sid=1; Path=/|Set-Cookie: [REDACTED]",
        "run --password hunter2 now|run --password [REDACTED] now",
        "tool --api-key 'a b' now|tool --api-key [REDACTED] now",
        "tokens: 512, left 3|tokens: [REDACTED], left 3",
        "\"token\": null, \"page\": 3|\"token\": null, \"page\": 3",
        "https://ann:p@ss@host/x?y=1|https://[REDACTED]@host/x?y=1",
        "postgres://u@db:5432 ok|postgres://[REDACTED]@db:5432 ok",
        "code 123456.|code [REDACTED].",
        "1234567 and 12345 stay|1234567 and 12345 stay",
        "id ABCDEFGHIJKLMNOPQRSTUVWX ok|id [REDACTED] ok",
        "id abcdefghijklmnopqrstuvw ok|id abcdefghijklmnopqrstuvw ok",
        "jwt eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.x ok|jwt [REDACTED] ok",
        "key wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY|key [REDACTED]",
        "at org.example.connectors.shelf.Pages(Pages.java:7)|at org.example.connectors.shelf.Pages(Pages.java:7)",
        "no such file /usr/lib/node_modules/shelf/x.js|no such file /usr/lib/node_modules/shelf/x.js",
        "Fetched page 3 of 9|Fetched page 3 of 9"
      })
  void output_loses_its_secrets_and_keeps_the_rest(String text, String clean) {
    assertThat(redaction.output(text)).isEqualTo(clean);
  }

  @Test
  void private_keys_go_whole_even_where_their_end_was_cut_off() {
    String begin = "-----BEGIN RSA PRIVATE KEY-----\nab\ncd\n";

    assertThat(redaction.output("x\n" + begin + "-----END RSA PRIVATE KEY-----\ny"))
        .isEqualTo("x\n[REDACTED]\ny");
    assertThat(redaction.output("x\n" + begin)).isEqualTo("x\n[REDACTED]");
  }

  @Test
  void a_submitted_value_is_taken_out_of_every_later_text_in_whatever_form() {
    redaction.addAnswer(
        Json.ofChecked("{\"user\":\"ann\",\"pin\":7391,\"deep\":[\"pa\\\"ss wörd\"]}"));

    assertThat(redaction.name("got pa\"ss wörd")).isEqualTo("got [REDACTED]");
    assertThat(redaction.message("sent {\"p\":\"pa\\\"ss wörd\"}"))
        .isEqualTo("sent {\"p\":\"[REDACTED]\"}");
    assertThat(redaction.output("?p=pa%22ss+w%C3%B6rd&n=1")).isEqualTo("?p=[REDACTED]&n=1");
    assertThat(redaction.name("pin=7391x")).isEqualTo("pin=[REDACTED]x");
    assertThat(redaction.name("hi ann, Hannah")).isEqualTo("hi [REDACTED], Hannah");
  }

  @Test
  void a_secret_of_several_lines_is_found_line_by_line() {
    redaction.add(List.of("first line\nsecond line"));

    assertThat(redaction.name("> second line")).isEqualTo("> [REDACTED]");
  }

  @Test
  void names_keep_opaque_words_and_numbers_which_are_ids() {
    assertThat(redaction.name("order 123456 ABCDEFGHIJKLMNOPQRSTUVWX"))
        .isEqualTo("order 123456 ABCDEFGHIJKLMNOPQRSTUVWX");
    assertThat(redaction.message("order 123456 ABCDEFGHIJKLMNOPQRSTUVWX"))
        .isEqualTo("order [REDACTED] ABCDEFGHIJKLMNOPQRSTUVWX");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "-",
        "--",
        " ",
        "\\",
        "\"",
        "'",
        "=",
        "token",
        "token=",
        "password: ",
        "://",
        "://a@",
        "-----BEGIN ",
        "-----BEGIN A-----",
        "bearer ",
        "x-",
        "1",
        "\\\"",
        "secret\\",
        "a.",
        "eyJ"
      })
  void hostile_text_costs_no_more_than_its_length(String part) {
    String text = part.repeat(200_000 / part.length());

    assertThat(redaction.output(text)).isNotNull();
  }

  @Test
  void nothing_is_told_about_what_it_knows() {
    redaction.add(List.of("hunter2"));

    assertThat(redaction.toString()).doesNotContain("hunter2");
  }
}
