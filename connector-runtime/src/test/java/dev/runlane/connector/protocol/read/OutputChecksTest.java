package dev.runlane.connector.protocol.read;

import static dev.runlane.connector.protocol.Shelf.read;
import static dev.runlane.connector.protocol.Shelf.reader;
import static dev.runlane.connector.protocol.Shelf.record;
import static dev.runlane.connector.protocol.Shelf.violation;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.protocol.text.ReaderLimits;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OutputChecksTest {
  private static final String BOOKS = "{\"name\": \"books\"}";

  @Test
  void R2_S1_a_record_of_a_stream_that_is_not_in_scope_is_a_violation() {
    Violation violation = (Violation) read(reader(BOOKS), record("loans", "\"a\"", "{}"));

    assertThat(violation.type()).isEqualTo(ViolationType.RECORD_FOR_UNDECLARED_STREAM);
    assertThat(violation.messageType()).isEqualTo("RECORD");
    assertThat(violation.stream()).isEqualTo("loans");
    assertThat(violation.received()).isEqualTo("loans");
    assertThat(violation.expected()).containsExactly("books");
    assertThat(violation.line()).isEqualTo(1);
  }

  @Test
  void R2_S1_a_resource_is_the_key_or_the_value_of_the_resource_field() {
    MessageReader reader = reader("{\"name\": \"books\", \"resources\": [\"b1\", \"Woolf\"]}");

    assertThat(read(reader, record("books", "\"b1\"", "{}"))).isInstanceOf(RecordMessage.class);
    assertThat(read(reader, record("books", "\"b2\"", "{\"author\":\"Woolf\"}")))
        .isInstanceOf(RecordMessage.class);
    assertThat(violation(read(reader, record("books", "\"b2\"", "{\"author\":\"Joyce\"}"))))
        .isEqualTo(ViolationType.RECORD_OUTSIDE_RESOURCES);
    assertThat(violation(read(reader, record("books", "\"b2\"", "{\"x\":{\"author\":\"Woolf\"}}"))))
        .isEqualTo(ViolationType.RECORD_OUTSIDE_RESOURCES);
  }

  @Test
  void R2_S1_a_compound_key_is_compared_as_its_minified_list() {
    MessageReader reader =
        reader("{\"name\": \"loans\", \"resources\": [\"[\\\"b1\\\",\\\"é\\\\\\\"\\\"]\"]}");

    RecordMessage message =
        (RecordMessage) read(reader, record("loans", "[ \"b1\" , \"\\u00e9\\\"\" ]", "{}"));

    assertThat(message.key()).isEqualTo("[\"b1\",\"é\\\"\"]");
    assertThat(message.compound()).isTrue();
    assertThat(violation(read(reader, record("loans", "[\"b1\"]", "{}"))))
        .isEqualTo(ViolationType.RECORD_OUTSIDE_RESOURCES);
  }

  @Test
  void R2_S1_a_field_that_was_not_asked_for_is_a_violation_that_names_it() {
    MessageReader reader = reader("{\"name\": \"books\", \"fields\": [\"note\"]}");

    assertThat(read(
            reader, record("books", "\"b1\"", "{\"id\":1,\"name\":\"n\",\"note\":{\"secret\":1}}")))
        .isInstanceOf(RecordMessage.class);
    Violation violation = (Violation)
        read(reader, record("books", "\"b1\"", "{\"id\":1,\"name\":\"n\",\"price\":9}"));
    assertThat(violation.type()).isEqualTo(ViolationType.RECORD_OUTSIDE_FIELDS);
    assertThat(violation.received()).isEqualTo("price");
    assertThat(violation.expected()).containsExactly("note", "id", "name");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"2026-01-01\"",
        "\"2026-01-01T00:00:00Z\"",
        "\"2026-01-01T01:00:00+01:00\"",
        "\"2026-01-31T23:59:59.999999Z\"",
        "\"2026-01-31 23:59\"",
        "1767225600000",
        "\"Thu, 01 Jan 2026 00:00:00 GMT\""
      })
  void R2_S1_a_time_from_since_on_and_before_until_is_in_range(String time) {
    assertThat(read(january(), record("books", "\"b\"", "{\"updated_at\":" + time + "}")))
        .isInstanceOf(RecordMessage.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"2025-12-31T23:59:59.999999Z\"",
        "\"2026-02-01T00:00:00Z\"",
        "\"2026-01-01T00:00:00+00:01\"",
        "1767225599999",
        "1e400",
        "\"2026-13-01\"",
        "\"2026-01-32\"",
        "\"soon\"",
        "\"\"",
        "null",
        "true",
        "{}",
        "[\"2026-01-02\"]"
      })
  void R2_S1_a_time_outside_and_one_that_cannot_be_read_are_violations(String time) {
    assertThat(
            violation(read(january(), record("books", "\"b\"", "{\"updated_at\":" + time + "}"))))
        .isEqualTo(ViolationType.RECORD_OUTSIDE_TIME_RANGE);
  }

  @Test
  void R2_S1_a_missing_time_is_a_violation_whatever_was_in_the_record_before() {
    MessageReader reader = january();
    read(reader, record("books", "\"b\"", "{\"updated_at\":\"2026-01-02\"}"));

    assertThat(violation(read(reader, record("books", "\"b\"", "{}"))))
        .isEqualTo(ViolationType.RECORD_OUTSIDE_TIME_RANGE);
  }

  @Test
  void R2_S1_a_time_that_is_given_twice_cannot_smuggle_a_record_into_the_range() {
    String twice = "{\"updated_at\":\"2026-01-02\",\"updated_at\":\"2020-01-01\"}";

    assertThat(violation(read(january(), record("books", "\"b\"", twice))))
        .isEqualTo(ViolationType.INVALID_JSON);
  }

  @Test
  void R2_S1_the_order_of_the_members_does_not_matter() {
    String line = """
        {"data":{"updated_at":"2025-01-01"},"emitted_at":"t","key":"k","stream":"books","type":"RECORD"}""";

    assertThat(violation(read(january(), line))).isEqualTo(ViolationType.RECORD_OUTSIDE_TIME_RANGE);
    assertThat(read(january(), line.replace("2025", "2026"))).isInstanceOf(RecordMessage.class);
  }

  @Test
  void R2_S1_a_time_range_on_a_stream_without_consent_time_cannot_be_checked() {
    MessageReader reader =
        reader("{\"name\": \"loans\", \"time_range\": {\"since\": \"2026-01-01\"}}");

    assertThat(read(reader, record("loans", "[\"a\",\"b\"]", "{}")))
        .isInstanceOf(RecordMessage.class);
  }

  @Test
  void a_deletion_whose_data_have_no_time_is_in_every_time_range() {
    MessageReader reader =
        reader("{\"name\": \"books\", \"time_range\": {\"since\": \"2026-01-01\"}}");
    String deletion = "{\"type\":\"RECORD\",\"op\":\"delete\",\"stream\":\"books\",\"key\":\"b1\","
        + "\"emitted_at\":\"t\",\"data\":%s}";

    assertThat(read(reader, deletion.formatted("{\"id\":\"b1\"}")))
        .isInstanceOf(RecordMessage.class);
    assertThat(violation(
            read(reader, deletion.formatted("{\"id\":\"b1\",\"updated_at\":\"2025-12-31\"}"))))
        .isEqualTo(ViolationType.RECORD_OUTSIDE_TIME_RANGE);
  }

  @Test
  void a_deletion_without_data_is_held_to_its_key_alone() {
    MessageReader reader = reader(
        "{\"name\": \"books\", \"resources\": [\"b1\"], \"time_range\": {\"since\": \"2026-01-01\"}}");
    String deletion =
        "{\"type\":\"RECORD\",\"op\":\"delete\",\"stream\":\"books\",\"key\":\"%s\",\"emitted_at\":\"t\"}";

    RecordMessage message = (RecordMessage) read(reader, deletion.formatted("b1"));

    assertThat(message.deletion()).isTrue();
    assertThat(message.data()).isNull();
    assertThat(violation(read(reader, deletion.formatted("b2"))))
        .isEqualTo(ViolationType.RECORD_OUTSIDE_RESOURCES);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'type':'STATE','stream':'loans','cursor':{}}|STATE_FOR_UNDECLARED_STREAM",
        "{'type':'STATE','stream':'books','cursor':[1]}|STATE_CURSOR_INVALID",
        "{'type':'STATE','stream':'books','cursor':'a'}|STATE_CURSOR_INVALID",
        "{'type':'STATE','stream':'books'}|STATE_CURSOR_INVALID",
        "{'type':'PROGRESS','stream':'loans','message':'m'}|PROGRESS_FOR_UNDECLARED_STREAM",
        "{'type':'SKIP_RESULT','stream':'loans'}|SKIP_FOR_UNDECLARED_STREAM",
        "{'type':'INTERACTION','request_id':'q','kind':'otp','message':'m','stream':'loans'}|INTERACTION_FOR_UNDECLARED_STREAM",
        "{'type':'DETAIL_GAP','stream':'loans'}|DETAIL_FOR_UNDECLARED_STREAM",
        "{'type':'ASSISTANCE','stream':'loans','progress_posture':'running','owner_action':'none','response_contract':'none','message':'m'}|ASSISTANCE_FOR_UNDECLARED_STREAM",
        "{'type':'NEWS'}|UNKNOWN_MESSAGE_TYPE",
        "{'type':7}|INVALID_MESSAGE",
        "{}|INVALID_MESSAGE",
        "{'type':'PROGRESS'}|INVALID_MESSAGE",
        "{'type':'PROGRESS','message':'m','count':-1}|INVALID_MESSAGE",
        "{'type':'PROGRESS','message':'m','count':1e999}|INVALID_MESSAGE",
        "{'type':'PROGRESS','message':'m','total':'7'}|INVALID_MESSAGE",
        "{'type':'SKIP_RESULT','recovery_hint':'pray'}|INVALID_MESSAGE",
        "{'type':'INTERACTION','request_id':'q','kind':'dance','message':'m'}|INVALID_MESSAGE",
        "{'type':'INTERACTION','request_id':'q','kind':'otp','message':'m','timeout_seconds':0}|INVALID_MESSAGE",
        "{'type':'DONE','status':'succeeded'}|INVALID_MESSAGE",
        "{'type':'DONE','status':'fine','records_emitted':0}|INVALID_MESSAGE",
        "{'type':'DONE','status':'failed','records_emitted':-1}|INVALID_MESSAGE",
        "{'type':'DONE','status':'failed','records_emitted':1.5}|INVALID_MESSAGE",
        "{'type':'DONE','status':'succeeded','records_emitted':0,'error':{'message':'m'}}|INVALID_MESSAGE",
        "{'type':'DONE','status':'failed','records_emitted':0,'error':{}}|INVALID_MESSAGE",
        "{'type':'DONE','status':'failed','records_emitted':0,'error':{'message':'m','code':'Bad'}}|INVALID_MESSAGE",
        "{'type':'DONE','status':'failed','records_emitted':0,'error':{'message':'m','stack':'x'}}|INVALID_MESSAGE",
        "{'type':'DONE','status':'failed','records_emitted':0,'error':{'message':'m','retryable':'yes'}}|INVALID_MESSAGE",
        "{'type':'DETAIL_COVERAGE','stream':'books','state_stream':'books','required_keys':[{}]}|INVALID_MESSAGE",
        "{'type':'ASSISTANCE','progress_posture':'running','owner_action':'none','response_contract':'response_required','message':'m'}|INVALID_MESSAGE",
        "{'type':'RECORD','stream':'books','key':'','data':{},'emitted_at':'t'}|INVALID_MESSAGE",
        "{'type':'RECORD','stream':'books','key':5,'data':{},'emitted_at':'t'}|INVALID_MESSAGE",
        "{'type':'RECORD','stream':'books','key':[],'data':{},'emitted_at':'t'}|INVALID_MESSAGE",
        "{'type':'RECORD','stream':'books','key':['a',1],'data':{},'emitted_at':'t'}|INVALID_MESSAGE",
        "{'type':'RECORD','stream':'books','key':'a\\u0000','data':{},'emitted_at':'t'}|INVALID_MESSAGE",
        "{'type':'RECORD','stream':'books','key':'a','data':[],'emitted_at':'t'}|INVALID_MESSAGE",
        "{'type':'RECORD','stream':'books','key':'a','emitted_at':'t'}|INVALID_MESSAGE",
        "{'type':'RECORD','stream':'books','key':'a','data':{}}|INVALID_MESSAGE",
        "{'type':'RECORD','stream':'books','key':'a','data':{},'emitted_at':'t','op':'burn'}|INVALID_MESSAGE",
        "{'type':'RECORD','key':'a','data':{},'emitted_at':'t'}|INVALID_MESSAGE"
      })
  void R2_S2_R2_S3_a_message_that_breaks_a_rule_is_its_violation(String line, ViolationType type) {
    assertThat(violation(read(reader(BOOKS), line.replace('\'', '"')))).isEqualTo(type);
  }

  @Test
  void the_list_of_what_was_expected_is_bounded() {
    StringBuilder streams = new StringBuilder();
    for (int i = 0; i < 30; i++) {
      streams.append(i == 0 ? "" : ",").append("{\"name\":\"s").append(i).append("\"}");
    }
    ConnectorManifest manifest = ConnectorManifest.parse(
        "{\"connector_id\":\"c\",\"version\":\"1\",\"streams\":[" + streams + "]}");
    MessageReader reader = new MessageReader(
        OutputChecks.of(manifest, StartScope.derived(manifest, null)), ReaderLimits.DEFAULT);

    Violation violation = (Violation) read(reader, record("x".repeat(1000), "\"a\"", "{}"));

    assertThat(violation.expected()).hasSize(Violation.MAX_LIST);
    assertThat(violation.truncated()).isTrue();
    assertThat(violation.stream()).hasSize(Violation.MAX_TEXT);
  }

  private static MessageReader january() {
    return reader("""
        {"name": "books", "time_range": {"since": "2026-01-01", "until": "2026-02-01"}}""");
  }
}
