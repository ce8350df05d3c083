package dev.runlane.connectorkit.message;

import static dev.runlane.connectorkit.Conversation.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connectorkit.ConnectorOptions;
import dev.runlane.connectorkit.Conversation;
import dev.runlane.connectorkit.browser.BrowserOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("a question to the owner")
@DisplayNameGeneration(ReplaceUnderscores.class)
class InteractionTest {

  private static final Interaction CODE = Interaction.otp("Code from the library card");

  @Test
  void is_answered_with_values_that_no_text_shows() throws Exception {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    try (Conversation runtime = Conversation.with(run -> {
      answer.complete(run.ask(CODE.about("a").within(Duration.ofMillis(119_001))));
      run.progress("The site says: 987654 was accepted");
      throw new IllegalStateException("page shows 987654");
    })) {
      JsonNode question = runtime.start().next();
      assertThat(question)
          .isEqualTo(JSON.readTree(
              "{'type':'INTERACTION','request_id':'q1','kind':'otp','message':'Code from the library card','stream':'a','timeout_seconds':120}"
                  .replace('\'', '"')));

      runtime.say(
          "{'type':'INTERACTION_RESPONSE','request_id':'q1','status':'success','data':{'code':987654}}");

      assertThat(runtime.next().path("message").asText())
          .isEqualTo("The site says: [submitted value] was accepted");
      assertThat(runtime.next().path("error").path("message").asText())
          .isEqualTo("IllegalStateException: page shows [submitted value]");
    }
    Answer.Success success = answer.join().require();
    assertThat(success.required("code")).isEqualTo("987654");
    assertThat(success.value("password")).isEmpty();
    assertThat(success.toString()).isEqualTo("answered, 1 values");
  }

  @Test
  void waits_for_a_hundred_years_at_most() {
    Duration endless = Duration.ofSeconds(Long.MAX_VALUE);

    assertThat(CODE.within(Duration.ofDays(36_500)).timeout()).isNotNull();
    assertThatThrownBy(() -> CODE.within(endless)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ConnectorOptions().setStopWait(endless))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ConnectorOptions().setInputCloseWait(endless))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ConnectorOptions().setFlushDelay(endless))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BrowserOptions("card").setLaunchLimit(endless))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void that_was_declined_or_not_answered_in_time_fails_where_an_answer_is_required()
      throws Exception {
    assertThat(errorAfter("cancelled")).isEqualTo("interaction_cancelled");
    assertThat(errorAfter("timeout")).isEqualTo("interaction_timeout");
    assertThat(errorAfter("whatever")).isEqualTo("answer_invalid");
  }

  @Test
  void keeps_other_threads_silent_until_it_is_answered() throws Exception {
    CompletableFuture<Void> otherThread = new CompletableFuture<>();
    try (Conversation runtime = Conversation.with(run -> {
      CompletableFuture<Answer> answer =
          CompletableFuture.supplyAsync(() -> run.ask(CODE), work -> new Thread(work).start());
      otherThread.join();
      run.record("a", "1", JSON.createObjectNode());
      answer.join();
    })) {
      assertThat(runtime.start().next().path("type").asText()).isEqualTo("INTERACTION");
      otherThread.complete(null);
      runtime.say("{'type':'INTERACTION_RESPONSE','request_id':'q1','status':'cancelled'}");

      assertThat(runtime.next().path("type").asText()).isEqualTo("RECORD");
      assertThat(runtime.next().path("status").asText()).isEqualTo("succeeded");
    }
  }

  @Test
  void is_not_sent_by_who_is_interrupted_whose_hooks_are_not() throws Exception {
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    try (Conversation runtime = Conversation.with(run -> {
      run.onEnd(() -> interrupted.complete(Thread.currentThread().isInterrupted()));
      Thread.currentThread().interrupt();
      run.ask(CODE);
    })) {
      assertThat(runtime.start().next().path("status").asText()).isEqualTo("cancelled");
    }
    assertThat(interrupted.join()).isFalse();
  }

  @Test
  void is_not_sent_where_nobody_can_answer() throws Exception {
    try (Conversation runtime = Conversation.with(run -> run.ask(CODE))) {
      runtime.say("{'type':'START','run_id':'r','scope':{'streams':[{'name':'a'}]},'bindings':{}}");

      assertThat(runtime.next().path("error").path("code").asText())
          .isEqualTo("interaction_unavailable");
    }
  }

  @Test
  void ends_when_the_runtime_closes_the_connectors_input() throws Exception {
    Conversation runtime = Conversation.with(run -> run.ask(CODE)).start();
    runtime.next();

    assertThat(runtime.closeInput()).isEqualTo(1);
    assertThat(runtime.next().path("error").path("code").asText()).isEqualTo("runtime_gone");
  }

  @Test
  void is_not_answered_by_a_line_about_another_one() throws Exception {
    try (Conversation runtime = Conversation.with(run -> run.ask(CODE))) {
      runtime.start().next();
      runtime.say("{'type':'INTERACTION_RESPONSE','request_id':'q9','status':'success'}");

      assertThat(runtime.next().path("error").path("code").asText()).isEqualTo("answer_invalid");
    }
  }

  private static String errorAfter(String status) throws Exception {
    Interaction brief = CODE.within(Duration.ofNanos(1)); // its end is the runtime's to tell
    try (Conversation runtime = Conversation.with(run -> run.ask(brief).require())) {
      runtime.start().next();
      runtime.say("{'type':'INTERACTION_RESPONSE','request_id':'q1','status':'" + status + "'}");
      return runtime.next().path("error").path("code").asText();
    }
  }
}
