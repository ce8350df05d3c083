package dev.runlane.connector.protocol.read;

import static dev.runlane.connector.protocol.Shelf.read;
import static dev.runlane.connector.protocol.Shelf.readAllStreams;
import static dev.runlane.connector.protocol.Shelf.record;
import static dev.runlane.connector.protocol.Shelf.violation;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.Shelf;
import dev.runlane.connector.protocol.message.AssistanceMessage;
import dev.runlane.connector.protocol.message.AssistanceStatusMessage;
import dev.runlane.connector.protocol.message.ConnectorError;
import dev.runlane.connector.protocol.message.DetailCoverageMessage;
import dev.runlane.connector.protocol.message.DetailGapMessage;
import dev.runlane.connector.protocol.message.DetailGapProgressMessage;
import dev.runlane.connector.protocol.message.DoneMessage;
import dev.runlane.connector.protocol.message.GapsPageRequestMessage;
import dev.runlane.connector.protocol.message.InteractionKind;
import dev.runlane.connector.protocol.message.InteractionMessage;
import dev.runlane.connector.protocol.message.ProgressMessage;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.message.RecoveryAction;
import dev.runlane.connector.protocol.message.RecoveryHint;
import dev.runlane.connector.protocol.message.StateMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.run.Json;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class MessageReaderTest {
  private static final StartScope ALL = StartScope.derived(Shelf.manifest(), null);

  @Test
  void a_record_keeps_its_data_exactly_as_it_was_written() {
    String data = "{ \"id\": 1.50, \"name\":\"na\\u00efve\", \"deep\":[{\"a\":[]}] }";

    RecordMessage message = (RecordMessage) readAllStreams(record("books", "\"b1\"", data));

    assertThat(message.data()).isEqualTo(Json.ofChecked(data));
    assertThat(message.key()).isEqualTo("b1");
    assertThat(message.emittedAt()).isEqualTo("2026-03-01T10:00:00Z");
    assertThat(message.toString()).doesNotContain("b1");
  }

  @Test
  void data_beyond_ASCII_is_cut_out_of_its_line_at_the_right_bytes() {
    String data = "{\"name\":\"Bücher – 書籍 – 📚\"}";
    String line = record("books", "\"ключ\"", data);

    RecordMessage first = (RecordMessage) readAllStreams(line);
    RecordMessage last =
        (RecordMessage) readAllStreams("{\"emitted_at\":\"é\",\"key\":\"ключ\",\"data\":" + data
            + " ,\"stream\":\"books\",\"type\":\"RECORD\"}");

    assertThat(first.data()).isEqualTo(Json.ofChecked(data));
    assertThat(last.data()).isEqualTo(Json.ofChecked(data));
    assertThat(last.key()).isEqualTo("ключ");
  }

  @Test
  void a_record_is_identified_when_its_data_have_the_key() {
    assertThat(identified("books", "\"7\"", "{\"id\":\"7\"}")).isTrue();
    assertThat(identified("books", "\"7\"", "{\"id\":7}")).isTrue();
    assertThat(identified("books", "\"7\"", "{\"id\":8}")).isFalse();
    assertThat(identified("books", "\"7\"", "{\"id\":null}")).isFalse();
    assertThat(identified("books", "\"7\"", "{}")).isFalse();
    assertThat(identified("loans", "[\"7\",\"x\"]", "{\"day\":\"x\",\"book\":7}"))
        .isTrue();
    assertThat(identified("loans", "[\"x\",\"7\"]", "{\"day\":\"x\",\"book\":7}"))
        .isFalse();
    assertThat(identified("loans", "\"7\"", "{\"day\":\"x\",\"book\":7}")).isFalse();
  }

  private static boolean identified(String stream, String key, String data) {
    return ((RecordMessage) readAllStreams(record(stream, key, data))).identified();
  }

  @Test
  void the_line_separators_of_Unicode_are_text() {
    assertThat(readAllStreams(record("books", "\"b\"", "{\"name\":\"a\u2028b\u2029c\"}")))
        .isInstanceOf(RecordMessage.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello",
        "null",
        "7",
        "[]",
        "\"RECORD\"",
        "{\"type\":\"PROGRESS\"",
        "{\"type\":\"PROGRESS\",\"message\":\"m\"} x",
        "{\"type\":\"PROGRESS\",\"message\":\"m\"}{}",
        "{\"type\":\"PROGRESS\",\"message\":\"m\",\"message\":\"n\"}",
        "{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"k\",\"data\":{\"a\":{\"b\":1,\"b\":2}},\"emitted_at\":\"t\"}",
        "{\"type\":\"RECORD\",\"stream\":\"books\",\"key\":\"k\",\"data\":{},\"emitted_at\":\"t\"}]",
        "{'type':'PROGRESS'}",
        "{\"type\":\"PROGRESS\",\"message\":NaN}",
        "{\"type\":\"PROGRESS\",\"message\":\"m\",\"count\":1e99999999999}",
        "{\"type\":\"PROGRESS\",\"message\":\"m\",\"count\":12e2147483647}",
        "{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"a\":[1e-2147483649]}}"
      })
  void a_line_that_is_not_one_object_with_each_name_once_is_invalid_JSON(String line) {
    assertThat(violation(readAllStreams(line))).isEqualTo(ViolationType.INVALID_JSON);
  }

  @Test
  void bytes_that_are_not_UTF8_are_invalid_JSON_wherever_they_stand() {
    byte[][] faults = {
      {(byte) 0xff},
      {(byte) 0xc3},
      {(byte) 0xc0, (byte) 0xaf},
      {(byte) 0xed, (byte) 0xa0, (byte) 0x80},
      {(byte) 0xf5, (byte) 0x80, (byte) 0x80, (byte) 0x80}
    };
    String[] places = {
      record("books", "\"b\"", "{\"x\":\"@\"}"),
      record("books", "\"b\"", "{\"x\":{\"y\":\"" + "é".repeat(5000) + "@\"}}"),
      "{\"type\":\"PROGRESS\",\"message\":\"@\"}"
    };
    for (String place : places) {
      for (byte[] fault : faults) {
        byte[] line = place.getBytes(StandardCharsets.UTF_8);
        int at = place.substring(0, place.indexOf('@')).getBytes(StandardCharsets.UTF_8).length;
        byte[] broken = new byte[line.length - 1 + fault.length];
        System.arraycopy(line, 0, broken, 0, at);
        System.arraycopy(fault, 0, broken, at, fault.length);
        System.arraycopy(line, at + 1, broken, at + fault.length, line.length - at - 1);

        assertThat(violation(read(Shelf.reader(ALL), broken)))
            .isEqualTo(ViolationType.INVALID_JSON);
      }
    }
  }

  @Test
  void a_line_in_another_encoding_of_Unicode_is_invalid_JSON() {
    String line = "{\"type\":\"PROGRESS\",\"message\":\"m\"}";
    for (String charset : List.of("UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE")) {
      byte[] bytes = line.getBytes(Charset.forName(charset));

      assertThat(violation(read(Shelf.reader(ALL), bytes)))
          .as(charset)
          .isEqualTo(ViolationType.INVALID_JSON);
    }
  }

  @Test
  void nesting_is_bounded_for_every_message() {
    String deep = "[".repeat(300) + "]".repeat(300);

    assertThat(violation(readAllStreams(record("books", "\"b\"", "{\"x\":" + deep + "}"))))
        .isEqualTo(ViolationType.INVALID_JSON);
    assertThat(violation(
            readAllStreams("{\"type\":\"PROGRESS\",\"message\":\"m\",\"x\":" + deep + "}")))
        .isEqualTo(ViolationType.INVALID_JSON);
    assertThat(violation(readAllStreams("[".repeat(100_000))))
        .isEqualTo(ViolationType.INVALID_JSON);
  }

  @Test
  void the_number_of_values_in_a_line_is_bounded() {
    String many = "{\"x\":[" + "0,".repeat(1_000_000) + "0]}";

    assertThat(violation(readAllStreams(record("books", "\"b\"", many))))
        .isEqualTo(ViolationType.INVALID_JSON);
  }

  @Test
  void a_message_that_is_no_record_has_a_limit_of_its_own_and_so_has_a_cursor() {
    String large = "x".repeat(5 * 1024 * 1024);

    assertThat(readAllStreams(record("books", "\"b\"", "{\"x\":\"" + large + "\"}")))
        .isInstanceOf(RecordMessage.class);
    assertThat(violation(readAllStreams("{\"type\":\"PROGRESS\",\"message\":\"" + large + "\"}")))
        .isEqualTo(ViolationType.INVALID_MESSAGE);
    assertThat(
            violation(readAllStreams("{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"x\":\""
                + large.substring(0, 1024 * 1024) + "\"}}")))
        .isEqualTo(ViolationType.STATE_CURSOR_INVALID);
  }

  @Test
  void violations_name_their_line() {
    MessageReader reader = Shelf.reader(ALL);

    assertThat(((Violation) reader.read(new byte[] {'x'}, 0, 1, 7)).line()).isEqualTo(7);
    assertThat(MessageReader.lineTooLong(64, 9).line()).isEqualTo(9);
    assertThat(MessageReader.lineTooLong(64, 9).type()).isEqualTo(ViolationType.LINE_TOO_LONG);
  }

  @Test
  void a_member_of_another_type_does_not_make_a_message_a_broken_record() {
    assertThat(readAllStreams(
            "{\"data\":7,\"key\":[{}],\"stream\":null,\"message\":\"m\",\"type\":\"PROGRESS\"}"))
        .isEqualTo(new ProgressMessage("m", null, null, null));
  }

  @Test
  void members_that_are_null_count_as_absent_and_unknown_ones_are_passed_over() {
    assertThat(
            readAllStreams(
                "{\"type\":\"PROGRESS\",\"message\":\"m\",\"stream\":null,\"count\":null,\"provider_budget\":{},\"x\":1}"))
        .isEqualTo(new ProgressMessage("m", null, null, null));
    assertThat(
            readAllStreams(
                "{\"type\":\"RECORD\",\"op\":null,\"stream\":\"books\",\"key\":\"k\",\"data\":{},\"emitted_at\":\"t\",\"x\":[1]}"))
        .isInstanceOf(RecordMessage.class);
  }

  @Test
  void a_cursor_keeps_every_digit() {
    assertThat(
            readAllStreams(
                "{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":{\"a\": 1.10, \"b\": 123456789012345678901234567890}}"))
        .isEqualTo(new StateMessage(
            "books", Json.ofChecked("{\"a\":1.10,\"b\":123456789012345678901234567890}")));
    assertThat(readAllStreams("{\"type\":\"STATE\",\"stream\":\"books\",\"cursor\":null}"))
        .isEqualTo(new StateMessage("books", Json.ofChecked("null")));
  }

  @Test
  void a_question_says_how_long_it_waits() {
    InteractionMessage question = (InteractionMessage)
        readAllStreams(
            "{\"type\":\"INTERACTION\",\"request_id\":\"q1\",\"kind\":\"otp\",\"message\":\"Code?\",\"schema\":{\"a\":1},\"timeout_seconds\":0.5}");

    assertThat(question)
        .isEqualTo(new InteractionMessage(
            "q1",
            InteractionKind.OTP,
            "Code?",
            Json.ofChecked("{\"a\":1}"),
            null,
            Duration.ofMillis(500)));
  }

  @Test
  void the_end_may_say_why() {
    assertThat(
            readAllStreams("{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":2.0}"))
        .isEqualTo(new DoneMessage(DoneMessage.Status.SUCCEEDED, 2, null));
    assertThat(
            readAllStreams(
                "{\"type\":\"DONE\",\"status\":\"failed\",\"records_emitted\":0,\"error\":{\"code\":\"rate_limited\",\"message\":\"slow\",\"retryable\":true,\"recovery_hint\":\"upstream_unblock\"}}"))
        .isEqualTo(new DoneMessage(
            DoneMessage.Status.FAILED,
            0,
            new ConnectorError(
                "slow", "rate_limited", true, RecoveryHint.of(RecoveryAction.UPSTREAM_UNBLOCK))));
  }

  @Test
  void messages_of_the_reference_alone_are_known() {
    assertThat(
            readAllStreams(
                "{\"type\":\"DETAIL_COVERAGE\",\"reference_only\":true,\"stream\":\"books\",\"state_stream\":\"loans\",\"required_keys\":[\"a\",2,\"c\",\"d\"],\"hydrated_keys\":[\"a\"],\"gap_keys\":[2],\"optional_skip_keys\":[\"c\"],\"considered\":9,\"covered\":8}"))
        .isEqualTo(new DetailCoverageMessage("books", "loans", 4, 1, 1, 9L, 8L));
    assertThat(
            readAllStreams(
                "{\"type\":\"DETAIL_GAP\",\"stream\":\"books\",\"record_key\":5,\"reason\":\"http_500\",\"last_error\":{\"http_status\":500}}"))
        .isEqualTo(new DetailGapMessage(
            "books",
            null,
            "5",
            "http_500",
            null,
            null,
            null,
            Json.ofChecked("{\"http_status\":500}"),
            null));
    assertThat(
            readAllStreams(
                "{\"type\":\"DETAIL_GAP_RECOVERED\",\"reference_only\":true,\"gap_id\":\"g\",\"stream\":\"books\"}"))
        .isEqualTo(new DetailGapProgressMessage(true, "g", "books", null));
    assertThat(readAllStreams("{\"type\":\"DETAIL_GAP_ATTEMPTED\",\"gap_id\":\"g\"}"))
        .isEqualTo(new DetailGapProgressMessage(false, "g", null, null));
    assertThat(readAllStreams("{\"type\":\"DETAIL_GAPS_PAGE_REQUEST\",\"request_id\":\"p\"}"))
        .isEqualTo(new GapsPageRequestMessage("p"));
    assertThat(
            readAllStreams(
                "{\"type\":\"ASSISTANCE\",\"assistance_request_id\":\"a\",\"progress_posture\":\"blocked\",\"owner_action\":\"act_elsewhere\",\"response_contract\":\"none\",\"message\":\"look\",\"attachments\":[{\"kind\":\"qr\"}]}"))
        .isEqualTo(new AssistanceMessage(
            "a", "blocked", "act_elsewhere", "none", "look", null, List.of("qr")));
    assertThat(
            readAllStreams(
                "{\"type\":\"ASSISTANCE_STATUS\",\"assistance_request_id\":\"a\",\"status\":\"timed_out\"}"))
        .isEqualTo(new AssistanceStatusMessage("a", "timed_out"));
  }

  @Test
  void no_bytes_make_the_reader_throw() {
    long seed = 4711;
    Random random = new Random(seed);
    String[] lines = {
      record("books", "[\"a\",\"b\"]", "{\"id\":1,\"name\":\"ü\",\"x\":[1,{\"y\":null}]}"),
      "{\"type\":\"DONE\",\"status\":\"failed\",\"records_emitted\":3,\"error\":{\"message\":\"é\"}}",
      "{\"type\":\"SKIP_RESULT\",\"stream\":\"books\",\"recovery_hint\":{\"retryable\":true},\"resources\":[\"a\"]}"
    };
    MessageReader reader = Shelf.reader(ALL);
    for (int i = 0; i < 30_000; i++) {
      byte[] line = lines[i % lines.length].getBytes(StandardCharsets.UTF_8);
      for (int change = random.nextInt(4); change >= 0; change--) {
        line[random.nextInt(line.length)] = (byte) random.nextInt(256);
      }
      assertThat(read(reader, line)).as("seed %d, round %d", seed, i).isNotNull();
    }
  }
}
