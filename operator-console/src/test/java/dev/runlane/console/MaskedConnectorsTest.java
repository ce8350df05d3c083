package dev.runlane.console;

import static dev.runlane.console.ConsoleFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.access.Masks;
import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.runtime.Runlane;
import dev.runlane.storage.memory.MemoryLane;
import io.vertx.core.Vertx;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the routes of connectors show to whom something is hidden from. */
@Timeout(120)
@DisplayNameGeneration(ReplaceUnderscores.class)
class MaskedConnectorsTest {
  private static final String VIEWER = "viewer-0123456789-0123456789-0123456789";
  private static final String OPERATOR = "operator-0123456789-0123456789-0123456789";
  private static final String ADMIN = "admin-0123456789-0123456789-0123456789";
  private static final String SEEN = "2026-03-01"; // in the cursor

  private static final Vertx VERTX = Vertx.vertx();
  private static final Runlane RUNLANE =
      Runlane.builder(VERTX, MemoryLane.create()).operatorOnly().build();
  private static LiveConnectors connectors;
  private static OperatorConsole console;
  private static int port;

  @BeforeAll
  static void start() {
    connectors = new LiveConnectors(VERTX);
    console = OperatorConsole.create(
            VERTX,
            RUNLANE,
            new ConsoleOptions()
                .setPort(0)
                .setMaskedPaths(List.of("$..seen"))
                .setTokens(List.of(
                    new TokenOptions().setName("ann").setToken(VIEWER).setRole(Role.VIEWER),
                    new TokenOptions().setName("ben").setToken(OPERATOR).setRole(Role.OPERATOR),
                    new TokenOptions().setName("cay").setToken(ADMIN).setRole(Role.ADMIN))))
        .withConnectors(connectors::router);
    port = await(console.start());
  }

  @AfterAll
  static void stop() {
    await(console.close());
    connectors.close();
    await(RUNLANE.close());
    await(VERTX.close());
  }

  @Test
  void who_goes_on_to_send_a_body_that_was_refused_is_cut_off_here_too() throws IOException {
    String request = "PUT /_ref/connectors/" + LiveConnectors.GAPS + "/state/accounts HTTP/1.1\r\n"
        + "Host: localhost\r\nAuthorization: Bearer " + OPERATOR + "\r\n"
        + "Content-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{";
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));

      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .startsWith("HTTP/1.1 413")
          .contains("connection: close");
    }
  }

  @Test
  void cursors_and_events_are_masked_as_runs_are() {
    String run = connectors.day().gaps();
    String state = "/_ref/connectors/" + LiveConnectors.GAPS + "/state";

    for (String path : List.of(state, "/_ref/runs/" + run + "/timeline", "/_ref/runs")) {
      for (String token : List.of(VIEWER, OPERATOR)) {
        assertThat(get(path, token).body()).as(path).doesNotContain("\"seen\":\"" + SEEN);
      }
    }
    assertThat(get(state, VIEWER).body()).contains("\"seen\":\"[masked]\"");
    assertThat(get(state, ADMIN).body()).contains("\"seen\":\"" + SEEN);
    assertThat(put(state + "/accounts", "{\"cursor\":{\"seen\":\"[masked]\"}}", OPERATOR))
        .satisfies(refused -> {
          assertThat(refused.statusCode()).isEqualTo(400);
          assertThat(refused.body()).contains("\"param\":\"cursor\"");
        });
    assertThat(get(state, ADMIN).body()).as("as it was").contains("\"seen\":\"" + SEEN);
    assertThat(put(state + "/accounts", "{\"cursor\":{\"seen\":\"2026-04-01\"}}", OPERATOR)
            .body())
        .contains("[masked]")
        .doesNotContain("2026-04-01");
    assertThat(get(state, ADMIN).body()).contains("\"seen\":\"2026-04-01\"");
  }

  @Test
  void a_body_that_is_not_said_to_be_json_changes_nothing_of_connectors_either() {
    String state = "/_ref/connectors/" + LiveConnectors.GAPS + "/state/accounts";
    String body = "{\"cursor\":{\"seen\":\"2026-05-01\"}}";

    for (HttpResponse<String> refused : List.of(
        send(request(state, ADMIN).PUT(BodyPublishers.ofString(body))),
        send(request(state, ADMIN)
            .header("content-type", "text/plain")
            .PUT(BodyPublishers.ofString(body))),
        send(request(state, ADMIN)
            .header("content-type", "text/plain")
            .PUT(BodyPublishers.ofInputStream(
                () -> new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8))))))) {
      assertThat(refused.statusCode()).isEqualTo(415);
      assertThat(refused.body()).contains("unsupported_media_type");
    }
    assertThat(get("/_ref/connectors/" + LiveConnectors.GAPS + "/state", ADMIN).body())
        .doesNotContain("2026-05-01");
    assertThat(put(state, body, ADMIN).statusCode()).isEqualTo(200);
  }

  @Test
  void refusals_of_connectors_are_told_in_their_own_words() {
    HttpResponse<String> unknown = get("/_ref/runs/none", VIEWER);
    HttpResponse<String> over =
        send(request("/_ref/runs/none/cancel", OPERATOR).POST(BodyPublishers.noBody()));

    assertThat(unknown.statusCode()).as(unknown.body()).isEqualTo(404);
    assertThat(over.statusCode()).as(over.body()).isEqualTo(404);
    assertThat(over.body()).contains("no_active_run");
  }

  @Test
  void lines_of_text_are_not_shown_to_whom_something_is_hidden_from() throws Exception {
    Masks masks = new Masks(List.of("$..iban"), Role.ADMIN);
    String lines = "{\"object\":\"run_stderr\",\"data\":[\"paid DE99\",\"done\"]}";

    assertThat(masks.applyToAnswer(object(lines), caller(Role.OPERATOR)).toString())
        .isEqualTo("{\"object\":\"run_stderr\",\"data\":[\"[masked]\",\"[masked]\"]}");
    assertThat(masks.applyToAnswer(object(lines), caller(Role.ADMIN))).isEqualTo(object(lines));
    assertThat(masks
            .applyToAnswer(object("{\"data\":[{\"a\":{\"iban\":\"DE99\"}}]}"), caller(Role.VIEWER))
            .toString())
        .isEqualTo("{\"data\":[{\"a\":{\"iban\":\"[masked]\"}}]}");
  }

  private static Caller caller(Role role) {
    return new Caller("ann", role, null);
  }

  private static ObjectNode object(String json) throws IOException {
    return (ObjectNode) new JsonMapper().readTree(json);
  }

  private static HttpResponse<String> get(String path, String token) {
    return send(request(path, token).GET());
  }

  private static HttpResponse<String> put(String path, String body, String token) {
    return send(request(path, token)
        .header("content-type", "application/json")
        .PUT(BodyPublishers.ofString(body)));
  }

  private static HttpRequest.Builder request(String path, String token) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .header("authorization", "Bearer " + token);
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    } catch (IOException | InterruptedException broken) {
      throw new AssertionError(broken);
    }
  }
}
