package dev.runlane.connector.run;

import static dev.runlane.connector.run.Runs.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.run.Runs.Begun;
import dev.runlane.connector.run.Runs.Finished;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.run.Json;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a connector that says its secret wherever it can")
class SecretiveRunTest {
  private static final String SECRET = "a/s3cret:value+of>mine";
  private static final byte[] BYTES = SECRET.getBytes(StandardCharsets.UTF_8);
  private static final byte[] INSIDE = ("me:" + SECRET + "!").getBytes(StandardCharsets.UTF_8);

  /** Each stands for itself in JSON and in single quotes. */
  private static final List<String> FORMS = List.of(
      SECRET,
      URLEncoder.encode(SECRET, StandardCharsets.UTF_8),
      "a%2fs3cret%3avalue%2bof%3emine",
      Base64.getEncoder().encodeToString(BYTES),
      Base64.getUrlEncoder().encodeToString(INSIDE),
      HexFormat.of().formatHex(BYTES));

  private Runs runs = new Runs();

  @AfterEach
  void close() {
    runs.close();
  }

  @Test
  void has_it_in_no_event_no_history_and_no_diagnosis() {
    runs.redaction.add(List.of(SECRET));
    List<String> lines = new ArrayList<>();
    for (String form : FORMS) {
      lines.add("{'type':'PROGRESS','message':'with " + form + "'}");
      lines.add("{'type':'STATE','stream':'books','cursor':{'next':'" + form + "'}}");
      lines.add("{'type':'SKIP_RESULT','stream':'books','reason':'" + form + "','message':'" + form
          + "','resource_ids':['" + form + "'],'time_range':{'since':'" + form
          + "'},'diagnostics':{'" + form + "':['" + form + "']}}");
      lines.add("{'type':'DETAIL_GAP','stream':'books','parent_stream':'" + form
          + "','record_key':'" + form + "','reason':'" + form + "','gap_id':'" + form + "'}");
      lines.add("{'type':'DETAIL_GAP_RECOVERED','stream':'books','record_key':'" + form
          + "','gap_id':'" + form + "'}");
      lines.add("{'type':'ASSISTANCE','assistance_request_id':'" + form
          + "','progress_posture':'running','owner_action':'none','response_contract':'none',"
          + "'message':'" + form + "'}");
      lines.add("{'type':'ASSISTANCE_STATUS','assistance_request_id':'" + form
          + "','status':'escalated'}");
    }
    String last = FORMS.get(FORMS.size() - 1);
    lines.add("{'type':'DONE','status':'failed','records_emitted':0,'error':{'code':'x" + last
        + "','message':'" + String.join(" ", FORMS) + "'}}");

    Finished run = runs.run(saying(lines) + errors() + "exit 1");

    assertThat(run.reason()).isEqualTo("connector_reported_failed");
    assertThat(run.types()).contains("run.assistance_escalated", "run.stream_skipped");
    assertClean(run);
  }

  @Test
  void has_it_in_no_violation() {
    runs.redaction.add(List.of(SECRET));
    for (String form : FORMS) {
      for (String line : List.of(
          "{'type':'" + form + "'}",
          "{'type':'STATE','stream':'" + form + "','cursor':null}",
          "{'type':'RECORD','stream':'" + form + "','key':'1','emitted_at':'x','data':{}}",
          "not JSON " + form)) {
        Finished run = runs.run(saying(List.of(line)) + "sleep 60");

        assertThat(run.reason()).isEqualTo("connector_protocol_violation");
        assertClean(run);
      }
    }
  }

  @Test
  void has_it_in_no_question_and_the_question_can_be_answered_all_the_same() {
    for (String form : FORMS) {
      fresh();
      Begun begun = runs.begin(saying(List.of("{'type':'INTERACTION','request_id':'" + form
              + "','kind':'otp','message':'" + form + "','schema':{'title':'" + form + "'}}"))
          + "read -r answer; case $answer in *'" + form + "'*) ;; *) exit 9 ;; esac; "
          + "echo '{\"type\":\"DONE\",\"status\":\"succeeded\",\"records_emitted\":0}'");
      String id = runs.signals.await("run.interaction_required").interactionId();

      assertThat(await(begun.run().answer(id, InteractionStatus.SUCCESS, null)))
          .isEqualTo(AnswerOutcome.DELIVERED);
      Finished run = runs.finish(begun);

      assertThat(run.terminal().type().value()).isEqualTo("run.completed");
      assertClean(run);
    }
  }

  private void fresh() {
    runs.close();
    runs = new Runs();
    runs.redaction.add(List.of(SECRET));
  }

  private static String saying(List<String> lines) {
    StringBuilder script = new StringBuilder("read -r start; ");
    lines.forEach(
        line -> script.append("echo '").append(line.replace('\'', '"')).append("'; "));
    return script.toString();
  }

  private static String errors() {
    StringBuilder script = new StringBuilder();
    FORMS.forEach(form -> script.append("echo 'stderr ").append(form).append("' >&2; "));
    return script.toString();
  }

  private void assertClean(Finished run) {
    StringBuilder told = new StringBuilder(runs.signals.violations.toString());
    run.events().forEach(event -> told.append(event.streamId())
        .append(event.interactionId())
        .append(event.data().text()));
    RunHistoryEntry history = run.ended().history();
    told.append(history.error()).append(text(history.result().connectorError()));
    told.append(text(history.result().knownGaps())).append(text(history.result().state()));
    for (String form : FORMS) {
      String core = form.replace("=", "");
      assertThat(told.toString()).doesNotContain(core.substring(2, core.length() - 2));
    }
  }

  private static String text(@Nullable Json json) {
    return json == null ? "" : json.text();
  }
}
