package dev.runlane.connector.protocol.redact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pa\\\"ss w\u00f6rd/x",
        "pa\\\"ss w\u00f6rd\\/x", // many templates
        "pa\\\"ss w\\u00f6rd/x", // Python
        "pa\\\"ss w\\u00F6rd/x",
        "pa\\\"ss w\\u00f6rd\\/x" // PHP
      })
  void a_secret_is_found_in_JSON_whoever_wrote_it(String inJson) {
    redaction.add(List.of("pa\"ss w\u00f6rd/x"));

    assertThat(redaction.name("{\"p\":\"" + inJson + "\"}")).isEqualTo("{\"p\":\"[REDACTED]\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?p=pa%22ss+w%C3%B6rd%2F%27%28x%29*~%21&n=1", // a form
        "?p=pa%22ss%20w%C3%B6rd%2F%27%28x%29%2A~%21&n=1", // RFC 3986
        "?p=pa%22ss%20w%c3%b6rd%2f%27%28x%29%2a~%21&n=1",
        "?p=pa%22ss%20w%C3%B6rd%2F'(x)*~!&n=1", // encodeURIComponent
        "?p=pa%22ss%20w%c3%b6rd%2f'(x)*~!&n=1",
        "?p=pa%22ss%20wörd/'(x)*~!&n=1", // encodeURI, of a browser's address bar
        "?p=%70%61%22%73%73%20%77%c3%B6%72%64%2f%27%28%78%29%2a%7e%21&n=1"
      })
  void a_secret_in_an_address_is_found_however_it_is_encoded(String address) {
    redaction.add(List.of("pa\"ss wörd/'(x)*~!"));

    assertThat(redaction.name(address)).isEqualTo("?p=[REDACTED]&n=1");
    assertThat(redaction.finds(address)).isTrue();
  }

  @Test
  void what_is_no_encoding_stays_and_costs_nothing() {
    redaction.add(List.of("s3cret/value"));

    assertThat(redaction.name("100% of 5%, %zz %C3%28 %C3 %F0%9F%98%80 a+b %"))
        .isEqualTo("100% of 5%, %zz %C3%28 %C3 %F0%9F%98%80 a+b %");
    assertThat(redaction.name("before s3cret%2Fvalue%20after%"))
        .isEqualTo("before [REDACTED]%20after%");
  }

  @Test
  void a_secret_in_base_64_or_hexadecimal_is_found_wherever_it_lies_in_it() {
    for (String secret :
        List.of("hunter2", "s3cret/value?>~", "wörd>?", "0123456789abcdef".repeat(9))) {
      Redaction knowing = new Redaction();
      knowing.add(List.of(secret));
      for (String before : List.of("", "u", "u:", "us:", "user:")) {
        for (String after : List.of("", "!", "!!", "\n", "/path")) {
          byte[] whole = (before + secret + after).getBytes(StandardCharsets.UTF_8);
          for (String form : List.of(
              Base64.getEncoder().encodeToString(whole),
              Base64.getEncoder().withoutPadding().encodeToString(whole),
              Base64.getUrlEncoder().encodeToString(whole),
              HexFormat.of().formatHex(whole),
              HexFormat.of().withUpperCase().formatHex(whole))) {
            assertThat(knowing.name("sent <" + form + "> to it"))
                .as("%s in %s", secret, form)
                .isEqualTo("sent <[REDACTED]> to it");
            assertThat(knowing.finds("{\"cursor\":\"" + form + "\"}")).isTrue();
          }
        }
      }
    }
  }

  @Test
  void a_long_secret_is_found_in_wrapped_base_64_and_in_what_was_encoded_twice() {
    String secret = "k".repeat(40) + "/+/" + "q".repeat(60);
    redaction.add(List.of(secret, "a>?b>?c>"));

    String wrapped = Base64.getMimeEncoder(76, new byte[] {'\n'})
        .encodeToString(secret.getBytes(StandardCharsets.UTF_8));
    assertThat(redaction.name("key:\n" + wrapped + "\nend"))
        .isEqualTo("key:\n[REDACTED]\n[REDACTED]\nend");
    assertThat(redaction.name("?k=YT4%2FYj4%2FYz4%3D&n=1")).isEqualTo("?k=[REDACTED]&n=1");
  }

  @Test
  void a_secret_of_any_length_is_found_where_the_text_is_cut_in_it() {
    String secret = "a long key ".repeat(1_000);
    redaction.add(List.of(secret));
    byte[] bytes = secret.strip().getBytes(StandardCharsets.UTF_8);
    StringBuilder escaped = new StringBuilder();
    for (byte each : bytes) {
      escaped.append('%').append(HexFormat.of().toHexDigits(each));
    }

    for (String form :
        List.of(secret, Base64.getEncoder().encodeToString(bytes), escaped.toString())) {
      String text = "it is <" + form + "> and more";
      assertThat(redaction.name(text, 100)).startsWith("it is <[REDACTED]");
      assertThat(redaction.message(text, 100)).startsWith("it is <[REDACTED]");
      assertThat(redaction.output(text, 100)).startsWith("it is <[REDACTED]");
    }
  }

  @Test
  void other_words_stay_beside_a_known_secret() {
    redaction.add(List.of("hunter2", "73919"));

    String text =
        "Fetched /usr/lib/node_modules/shelf/x.js, order 0123456789abcdef, aHVudA, aHVudGlu, year 12345";
    assertThat(redaction.name(text)).isEqualTo(text);
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
        "eyJ",
        "%",
        "%4",
        "%41",
        "%F0%9F",
        "+",
        "aHVudGVyM",
        "68756e7465723"
      })
  void hostile_text_costs_no_more_than_its_length(String part) {
    redaction.add(List.of("hunter2", "two words"));
    String text = part.repeat(200_000 / part.length());

    assertThat(redaction.output(text)).isNotNull();
  }

  @Test
  void nothing_is_told_about_what_it_knows() {
    redaction.add(List.of("hunter2"));

    assertThat(redaction.toString()).doesNotContain("hunter2");
  }
}
