package dev.runlane.connectorkit;

import static dev.runlane.connectorkit.Conversation.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connectorkit.message.Assistance;
import dev.runlane.connectorkit.message.CollectionMode;
import dev.runlane.connectorkit.message.ConnectorCancelled;
import dev.runlane.connectorkit.message.ConnectorFailure;
import dev.runlane.connectorkit.message.ConnectorRecord;
import dev.runlane.connectorkit.message.DetailCoverage;
import dev.runlane.connectorkit.message.DetailGap;
import dev.runlane.connectorkit.message.Progress;
import dev.runlane.connectorkit.message.RecordKey;
import dev.runlane.connectorkit.message.RecoveryAction;
import dev.runlane.connectorkit.message.Skip;
import dev.runlane.connectorkit.message.Start;
import dev.runlane.connectorkit.message.StreamScope;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("a connector written with the kit")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConnectorTest {

  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
  private static final ConnectorOptions AT_NOON =
      new ConnectorOptions().setClock(Clock.fixed(NOON, ZoneOffset.UTC));

  @Test
  void sends_what_the_protocol_says_and_counts_its_records_itself() throws Exception {
    try (Conversation runtime = Conversation.with(AT_NOON, run -> {
      run.progress(Progress.of("a", "Opening", 0, 2));
      run.record("a", "1", object("{'id':'1'}"));
      run.record(ConnectorRecord.deletion("b", RecordKey.of("x", "y")));
      run.state("a", object("{'page':5}"));
      run.state("b", null);
      run.skip(Skip.of("b", "page_locked", "Page 6 needs a visit")
          .recoveredBy(RecoveryAction.MANUAL_ACTION_REQUIRED)
          .ofResources(List.of("6")));
    })) {
      List<JsonNode> messages = runtime.start().untilDone();

      assertThat(messages)
          .containsExactly(
              json("{'type':'PROGRESS','stream':'a','message':'Opening','count':0,'total':2}"),
              json("{'type':'RECORD','stream':'a','key':'1','data':{'id':'1'},"
                  + "'emitted_at':'2026-03-01T12:00:00Z'}"),
              json("{'type':'RECORD','stream':'b','key':['x','y'],"
                  + "'emitted_at':'2026-03-01T12:00:00Z','op':'delete'}"),
              json("{'type':'STATE','stream':'a','cursor':{'page':5}}"),
              json("{'type':'STATE','stream':'b','cursor':null}"),
              json("{'type':'SKIP_RESULT','stream':'b','reason':'page_locked','message':"
                  + "'Page 6 needs a visit','recovery_hint':'manual_action_required',"
                  + "'resource_ids':['6']}"),
              json("{'type':'DONE','status':'succeeded','records_emitted':2}"));
    }
  }

  @Test
  void says_what_details_are_missing_and_what_the_owner_is_to_do_elsewhere() throws Exception {
    RecordKey one = RecordKey.of("1");
    RecordKey two = RecordKey.of("x", "y");
    try (Conversation runtime = Conversation.with(run -> {
      run.detailGap(DetailGap.of("b", one, "page_locked")
          .listedBy("a")
          .retryable(true)
          .named("g1")
          .locatedBy(object("{'page':6}")));
      run.detailRecovered("b", two, "g0");
      run.detailCoverage(DetailCoverage.of("b", "a", List.of(one, two), List.of(two))
          .withGaps(List.of(one))
          .counting(2, 1));
      String id = run.assist(Assistance.elsewhere("Confirm on the phone").about("a"));
      run.assistanceEnded(id, Assistance.End.TIMED_OUT);
    })) {
      assertThat(runtime.start().untilDone())
          .containsExactly(
              json("{'type':'DETAIL_GAP','stream':'b','parent_stream':'a','record_key':'1',"
                  + "'reason':'page_locked','retryable':true,'gap_id':'g1',"
                  + "'detail_locator':{'page':6}}"),
              json("{'type':'DETAIL_GAP_RECOVERED','stream':'b',"
                  + "'record_key':'[\\'x\\',\\'y\\']','gap_id':'g0'}"),
              json("{'type':'DETAIL_COVERAGE','reference_only':true,'stream':'b',"
                  + "'state_stream':'a','required_keys':['1','[\\'x\\',\\'y\\']'],"
                  + "'hydrated_keys':['[\\'x\\',\\'y\\']'],'gap_keys':['1'],"
                  + "'optional_skip_keys':[],'considered':2,'covered':1}"),
              json("{'type':'ASSISTANCE','assistance_request_id':'a1',"
                  + "'progress_posture':'blocked','owner_action':'act_elsewhere',"
                  + "'response_contract':'none','sensitivity':'none',"
                  + "'message':'Confirm on the phone','stream':'a'}"),
              json("{'type':'ASSISTANCE_STATUS','assistance_request_id':'a1',"
                  + "'status':'timed_out'}"),
              json("{'type':'DONE','status':'succeeded','records_emitted':0}"));
    }
  }

  @Test
  void exits_with_0_only_when_the_runtime_has_closed_its_input_after_done() throws Exception {
    Conversation runtime = Conversation.with(run -> {}).start();

    assertThat(runtime.untilDone()).hasSize(1);
    assertThat(runtime.isOver()).isFalse();
    assertThat(runtime.closeInput()).isZero();
  }

  @Test
  void does_not_wait_for_the_end_of_its_input_longer_than_the_options_say() {
    ConnectorOptions options = new ConnectorOptions().setInputCloseWait(Duration.ofMillis(1));
    Conversation runtime = Conversation.with(options, run -> {}).start();

    runtime.untilDone();

    assertThat(runtime.exitCode()).isZero();
  }

  @Test
  void reads_scope_cursors_and_bindings_from_START() throws Exception {
    CompletableFuture<Start> seen = new CompletableFuture<>();
    try (Conversation runtime = Conversation.with(run -> seen.complete(run.start()))) {
      runtime.say(
          "{'type':'START','run_id':'run_7','collection_mode':'incremental','scope':{'streams':"
              + "[{'name':'a','resources':['r1'],'fields':['id','note'],"
              + "'time_range':{'since':'2026-01-01'}}]},"
              + "'state':{'a':{'page':4},'z':null},'bindings':{'network':{}}}");
      runtime.untilDone();
    }

    Start start = seen.join();
    StreamScope scope = start.stream("a").orElseThrow();
    assertThat(start.runId()).isEqualTo("run_7");
    assertThat(start.mode()).isEqualTo(CollectionMode.INCREMENTAL);
    assertThat(start.cursor("a")).contains(object("{'page':4}"));
    assertThat(start.cursor("z")).isEmpty();
    assertThat(start.cursor("unknown")).isEmpty();
    assertThat(start.keepsState()).isTrue();
    assertThat(start.interactive()).isFalse();
    assertThat(start.stream("b")).isEmpty();
    assertThat(scope.resources()).containsExactly("r1");
    assertThat(scope.requestedFields(object("{'id':1,'secret':2,'note':3}")))
        .isEqualTo(object("{'id':1,'note':3}"));
    assertThat(scope.times().orElseThrow().admits("2026-01-01T00:00:00+00:00")).isTrue();
    assertThat(start.toString()).contains("run_7").doesNotContain("page");
  }

  @Test
  void gives_no_cursor_in_a_full_refresh_and_none_where_no_state_is_kept() throws Exception {
    assertThat(
            startOf("'collection_mode':'full_refresh','state':{'a':{'page':4}}").cursor("a"))
        .isEmpty();
    assertThat(startOf("'state':null").cursor("a")).isEmpty();
    assertThat(startOf("'state':null").keepsState()).isFalse();
  }

  @Test
  void tells_a_failure_with_its_code_and_whether_to_try_again() throws Exception {
    Conversation runtime = Conversation.with(run -> {
          run.record("a", "1", object("{}"));
          throw ConnectorFailure.permanent(
              "login_refused", "the login was refused", RecoveryAction.REFRESH_CREDENTIALS);
        })
        .start();

    List<JsonNode> messages = runtime.untilDone();

    assertThat(messages.get(1))
        .isEqualTo(json("{'type':'DONE','status':'failed','records_emitted':1,'error':"
            + "{'code':'login_refused','message':'the login was refused',"
            + "'retryable':false,'recovery_hint':'refresh_credentials'}}"));
    assertThat(runtime.closeInput()).isEqualTo(1);
  }

  @Test
  void tells_an_unexpected_exception_as_a_failure_bounded_to_500_characters() throws Exception {
    Conversation runtime = Conversation.with(run -> {
          throw new IllegalStateException("x".repeat(600));
        })
        .start();

    JsonNode error = runtime.next().path("error");

    assertThat(error.path("code").asText()).isEqualTo("unexpected_error");
    assertThat(error.path("message").asText())
        .startsWith("IllegalStateException: x")
        .hasSize(500);
    assertThat(error.has("retryable")).isFalse();
    assertThat(runtime.closeInput()).isEqualTo(1);
  }

  @Test
  void says_cancelled_when_it_gives_up() throws Exception {
    Conversation runtime = Conversation.with(run -> {
          throw new ConnectorCancelled("declined");
        })
        .start();

    assertThat(runtime.next())
        .isEqualTo(json("{'type':'DONE','status':'cancelled','records_emitted':0}"));
    assertThat(runtime.closeInput()).isEqualTo(1);
  }

  @Test
  void fails_a_START_it_cannot_use_without_quoting_it() throws Exception {
    for (String line : List.of(
        "secret4711",
        "['secret4711']",
        "{'type':'STOP','run_id':'secret4711'}",
        "{'type':'START','run_id':'r','collection_mode':'secret4711'}",
        "{'type':'START','run_id':'r','scope':{'streams':[]}}",
        "{'type':'START','scope':{'streams':[{'name':'a'}]}}",
        "{'type':'START','run_id':'r','scope':{'streams':[{'name':'a'},{'name':'a'}]}}")) {
      Conversation runtime = Conversation.with(run -> {}).say(line);

      JsonNode done = runtime.next();

      assertThat(done.path("error").path("code").asText()).as(line).isEqualTo("invalid_start");
      assertThat(done.toString()).doesNotContain("secret4711");
      assertThat(runtime.closeInput()).isEqualTo(1);
    }
  }

  @Test
  void fails_when_its_input_ends_before_START() throws Exception {
    Conversation runtime = Conversation.with(run -> {});

    assertThat(runtime.closeInput()).isEqualTo(1);
    assertThat(runtime.next().path("error").path("code").asText()).isEqualTo("invalid_start");
  }

  @Test
  void writes_whole_lines_and_counts_them_whatever_thread_sends_them() throws Exception {
    int threads = 8;
    int each = 500;
    try (Conversation runtime = Conversation.with(run -> {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        String prefix = thread + "-";
        all.add(CompletableFuture.runAsync(
            () -> IntStream.range(0, each)
                .forEach(n -> run.record("a", prefix + n, object("{'text':'\\n\u2028'}"))),
            work -> new Thread(work).start()));
      }
      all.forEach(CompletableFuture::join);
    })) {
      List<JsonNode> messages = runtime.start().untilDone();

      assertThat(messages.stream().map(message -> message.path("key").asText()))
          .doesNotHaveDuplicates()
          .hasSize(threads * each + 1);
      assertThat(messages.get(threads * each).path("records_emitted").asInt())
          .isEqualTo(threads * each);
    }
  }

  @Test
  void sends_a_record_that_no_other_message_follows() throws Exception {
    CompletableFuture<Void> seen = new CompletableFuture<>();
    try (Conversation runtime = Conversation.with(run -> {
      run.record("a", "1", object("{}"));
      seen.join(); // the record arrives although nothing else is said
    })) {
      assertThat(runtime.start().next().path("key").asText()).isEqualTo("1");
      seen.complete(null);
    }
  }

  @Test
  void refuses_a_message_above_the_line_limit_before_any_of_it_is_sent() throws Exception {
    ConnectorOptions options = new ConnectorOptions().setMaxLineBytes(1024);
    try (Conversation runtime = Conversation.with(options, run -> {
      run.record("a", "1", object("{}"));
      run.record("a", "2", object("{'text':'" + "x".repeat(1024) + "'}"));
    })) {
      List<JsonNode> messages = runtime.start().untilDone();

      assertThat(messages).hasSize(2);
      assertThat(messages.get(1).path("records_emitted").asInt()).isEqualTo(1);
      assertThat(messages.get(1).path("error").path("code").asText())
          .isEqualTo("message_too_large");
    }
  }

  @Test
  void closes_what_was_opened_before_it_says_done_even_when_closing_fails() throws Exception {
    List<String> closed = new ArrayList<>();
    try (Conversation runtime = Conversation.with(run -> {
      run.onEnd(() -> closed.add("first"));
      run.onEnd(() -> {
        run.progress("closing");
        throw new IllegalStateException("cannot close");
      });
      throw new ConnectorFailure("broken", "broken");
    })) {
      List<JsonNode> messages = runtime.start().untilDone();

      assertThat(messages).extracting(m -> m.path("type").asText()).contains("PROGRESS", "DONE");
      assertThat(messages.get(1).path("error").path("code").asText()).isEqualTo("broken");
      assertThat(closed).containsExactly("first");
    }
  }

  @Test
  void says_how_it_ended_and_closes_the_rest_when_closing_fails_with_an_Error() throws Exception {
    List<String> closed = new ArrayList<>();
    Conversation runtime = Conversation.with(run -> {
          run.onEnd(() -> closed.add("first"));
          run.onEnd(() -> {
            throw new NoClassDefFoundError("a class of the browser");
          });
          run.record("a", "1", object("{}"));
        })
        .start();

    assertThat(runtime.untilDone().get(1))
        .isEqualTo(json("{'type':'DONE','status':'succeeded','records_emitted':1}"));
    assertThat(closed).containsExactly("first");
    assertThat(runtime.closeInput()).isZero();
  }

  @Test
  void ends_by_itself_when_it_cannot_say_DONE() {
    ConnectorOptions options = new ConnectorOptions().setMaxLineBytes(1024);
    Conversation runtime = Conversation.with(options, run -> {
          throw new ConnectorFailure("page_broken", "\u20ac".repeat(500)); // three bytes each
        })
        .start();

    assertThat(runtime.exitCode()).isEqualTo(1);
  }

  @Test
  void fails_and_waits_for_nothing_when_there_is_no_memory_for_its_input() {
    InputStream in = new InputStream() {
      @Override
      public int read() {
        throw new OutOfMemoryError("on purpose");
      }
    };
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    CompletableFuture<Integer> exitCode = CompletableFuture.supplyAsync(
        () -> Connector.run(in, out, AT_NOON, run -> {}), work -> new Thread(work).start());

    assertThat(exitCode.orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo(1);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("DONE", "the runtime's input ended");
  }

  @Test
  void is_given_every_cursor_that_the_runtime_stores() throws Exception {
    String name = "n".repeat(60_000);
    Start start = startOf("'state':{'a':{'" + name + "':1,'big':" + "7".repeat(10_000) + ",'deep':"
        + "[".repeat(254) + "]".repeat(254) + "}}");

    ObjectNode cursor = start.cursor("a").orElseThrow();
    assertThat(cursor.has(name)).isTrue();
    assertThat(cursor.path("big").bigIntegerValue().toString()).isEqualTo("7".repeat(10_000));
  }

  @Test
  void hands_a_cursor_back_as_it_came() throws Exception {
    String cursor = "{\"since\":1700000000.123456789,\"price\":10.10,\"big\":1E+400,\"n\":7}";
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] in =
        ("{\"type\":\"START\",\"run_id\":\"run_1\",\"scope\":{\"streams\":[{\"name\":\"a\"}]},"
                + "\"state\":{\"a\":" + cursor + "}}\n")
            .getBytes(StandardCharsets.UTF_8);

    Connector.run(
        new ByteArrayInputStream(in),
        out,
        AT_NOON,
        run -> run.state("a", run.start().cursor("a").orElseThrow()));

    assertThat(out.toString(StandardCharsets.UTF_8)).contains("\"cursor\":" + cursor + "}");
  }

  @Test
  void says_the_code_or_the_reason_where_it_has_no_words() throws Exception {
    try (Conversation runtime = Conversation.with(run -> {
      run.skip(Skip.of("b", "page_locked", " "));
      throw ConnectorFailure.retryable("rate_limited", "");
    })) {
      List<JsonNode> messages = runtime.start().untilDone();

      assertThat(messages.get(0).path("message").asText()).isEqualTo("page_locked");
      assertThat(messages.get(1).path("error").path("message").asText()).isEqualTo("rate_limited");
    }
  }

  @Test
  void makes_no_key_that_the_runtime_would_refuse() {
    assertThatThrownBy(() -> RecordKey.of("a", " \t")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RecordKey.of("")).isInstanceOf(IllegalArgumentException.class);
  }

  private static Start startOf(String members) throws Exception {
    CompletableFuture<Start> seen = new CompletableFuture<>();
    try (Conversation runtime = Conversation.with(run -> seen.complete(run.start()))) {
      runtime.say(
          "{'type':'START','run_id':'r','scope':{'streams':[{'name':'a'}]}," + members + "}");
      runtime.untilDone();
    }
    return seen.join();
  }

  private static JsonNode json(String text) throws Exception {
    return JSON.readTree(text.replace('\'', '"'));
  }

  private static ObjectNode object(String text) {
    try {
      return (ObjectNode) json(text);
    } catch (Exception invalid) {
      throw new AssertionError(text, invalid);
    }
  }
}
