package dev.runlane.runtime.webhook;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.webhook.WebhookEndpoint;
import dev.runlane.webhook.WebhookPost;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What is known of a request that failed, where the address itself lets in whoever has it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WebhookPostTest {
  private static final String MARKER = "T0-B0-xoxb-7f3a";

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, SECONDS);
  }

  @Test
  void a_receiver_that_keeps_silent_is_told_without_the_path_and_query_of_its_address()
      throws Exception {
    RunlaneException failure = failureAt(serve(silent -> {}), Duration.ofMillis(200));

    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(failure).hasMessageContaining("within 200 ms");
    assertThat(printed(failure)).doesNotContain(MARKER);
  }

  @Test
  void a_receiver_that_hangs_up_is_told_without_the_path_and_query_of_its_address()
      throws Exception {
    RunlaneException failure =
        failureAt(serve(request -> request.connection().close()), Duration.ofSeconds(30));

    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(printed(failure)).doesNotContain(MARKER);
  }

  @Test
  void a_host_that_takes_no_connections_is_told_as_such() {
    RunlaneException failure = failureAt(1, Duration.ofSeconds(30));

    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_UNAVAILABLE);
    assertThat(failure).hasMessageContaining("Connection refused");
    assertThat(printed(failure)).doesNotContain(MARKER);
  }

  @Test
  void what_is_no_failure_of_the_network_is_told_by_its_class_and_place_without_the_address()
      throws Exception {
    WebhookPost post = new WebhookPost(vertx, Duration.ofSeconds(30), 1);
    post.close().await(30, SECONDS);

    RunlaneException failure = failureAt(post, 1);

    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT_PUBLISH_FAILED);
    assertThat(failure).hasMessageContaining(IllegalStateException.class.getName());
    assertThat(printed(failure)).contains("at io.vertx.core.http").doesNotContain(MARKER);
  }

  private RunlaneException failureAt(int port, Duration timeout) {
    return failureAt(new WebhookPost(vertx, timeout, 1), port);
  }

  private static RunlaneException failureAt(WebhookPost post, int port) {
    WebhookEndpoint endpoint = WebhookEndpoint.of(
        "hook",
        URI.create("http://127.0.0.1:" + port + "/services/" + MARKER + "?token=" + MARKER),
        "0123456789-0123456789");
    return catchThrowableOfType(
        RunlaneException.class,
        () -> post.send(endpoint.request("d1", "{}", Instant.EPOCH)).await(30, SECONDS));
  }

  private int serve(Handler<HttpServerRequest> receiver) throws Exception {
    return vertx
        .createHttpServer()
        .requestHandler(receiver)
        .listen(0, "127.0.0.1")
        .await(30, SECONDS)
        .actualPort();
  }

  private static String printed(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
