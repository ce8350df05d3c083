package dev.runlane.connector.store.http;

import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.cursor;
import static dev.runlane.connector.store.StoreCase.deletion;
import static dev.runlane.connector.store.StoreCase.done;
import static dev.runlane.connector.store.StoreCase.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.protocol.manifest.ManifestStream.Semantics;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.record.CommitCursor;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.IngestReceipt;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.StateOutcome;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredCursor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PfxOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Against a real server, which answers as each case says. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HttpRecordSinkTest {
  private static final String TOKEN = "token-nobody-may-see";

  private final Vertx vertx = Vertx.vertx();
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private volatile Consumer<HttpServerRequest> answer = request -> json(request, 200, "{}");
  private final HttpServer server = done(vertx
      .createHttpServer()
      .requestHandler(request -> request.body().onSuccess(body -> {
        seen.add(new Seen(
            request.method().name(),
            request.uri(),
            request.getHeader("Content-Type"),
            request.getHeader("Authorization"),
            body.toString()));
        answer.accept(request);
      }))
      .listen(0, "127.0.0.1"));

  private record Seen(
      String method, String uri, String contentType, String authorization, String body) {}

  @AfterEach
  void close() {
    done(vertx.close());
  }

  private static void json(HttpServerRequest request, int status, String body) {
    request
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", "application/json")
        .end(body);
  }

  private HttpRecordSinkOptions options() {
    return new HttpRecordSinkOptions()
        .setBaseUri("http://127.0.0.1:" + server.actualPort() + "/base/");
  }

  private HttpRecordSink sink() {
    return new HttpRecordSink(
        vertx.createHttpClient(), options(), () -> Future.succeededFuture(TOKEN));
  }

  private static IngestBatch batch(RecordMessage... records) {
    return new IngestBatch(
        new RunFence("shelf", "run_1", 1),
        new ConnectorRef("shelf", "shelf-2"),
        "books & more/ü",
        Semantics.MUTABLE_STATE,
        1,
        List.of(records),
        NOON);
  }

  private IngestOutcome ingest() {
    return done(sink().ingest(batch(record("a", "{}"), record("b", "{}"))));
  }

  private SinkFailure refusal() {
    return ((IngestOutcome.Refused) ingest()).failure();
  }

  @Test
  void a_batch_is_one_request_of_json_lines_with_the_owners_token() {
    answer = request -> json(
        request,
        200,
        "{\"stream\":\"x\",\"records_attempted\":3,\"records_accepted\":2,\"records_rejected\":1,\"errors\":[],"
            + "\"rejections\":[{\"code\":\"invalid_utf8\",\"input_index\":1,\"receipt_id\":\"r\"}]}");
    RecordMessage compound = new RecordMessage(
        "s", "[\"x\",\"y\"]", true, Json.ofChecked("{\"n\":\n1}"), "then", false, true, 50);

    IngestOutcome outcome =
        done(sink().ingest(batch(record("a\"\n", "{\"v\":1}"), compound, deletion("gone"))));

    assertThat(outcome)
        .isEqualTo(new IngestOutcome.Stored(
            new IngestReceipt(3, 2, 1, List.of(new IngestReceipt.Rejection(1, "invalid_utf8")))));
    assertThat(seen).singleElement().satisfies(request -> {
      assertThat(request.method()).isEqualTo("POST");
      assertThat(request.uri())
          .isEqualTo("/base/v1/ingest/books%20%26%20more%2F%C3%BC"
              + "?connector_id=shelf&connector_instance_id=shelf-2&run_id=run_1");
      assertThat(request.contentType()).isEqualTo("application/x-ndjson");
      assertThat(request.authorization()).isEqualTo("Bearer " + TOKEN);
      assertThat(request.body())
          .isEqualTo(
              "{\"data\":{\"v\":1},\"emitted_at\":\"2026-03-04T11:00:00Z\",\"key\":\"a\\\"\\n\"}\n"
                  + "{\"data\":{\"n\": 1},\"emitted_at\":\"then\",\"key\":[\"x\",\"y\"]}\n"
                  + "{\"data\":null,\"emitted_at\":\"2026-03-04T11:30:00Z\",\"key\":\"gone\",\"op\":\"delete\"}\n");
    });
  }

  @ParameterizedTest
  @CsvSource({
    "401, grant_expired, authentication_error, false",
    "403, , permission_error, false",
    "403, grant_revoked, grant_revoked, false",
    "429, , rate_limit_error, true",
    "429, slow_down, slow_down, true",
    "400, invalid_request, invalid_request, false",
    "404, connector_instance_not_found, connector_instance_not_found, false",
    "413, resource_limit, resource_limit, false",
    "418, , ingest_http_error, false",
    "418, Not a Code!, ingest_http_error, false",
    "500, , ingest_http_error, true",
    "503, ingest_batch_storage_error, ingest_http_error, true",
    "302, , ingest_http_error, false"
  })
  void a_refusal_is_read_by_its_status_and_code(
      int status, String code, String reason, boolean passing) {
    String body = code == null ? "{}" : "{\"error\":{\"code\":\"" + code + "\"}}";
    answer = request -> json(request, status, body);

    SinkFailure failure = refusal();

    assertThat(failure.reason()).isEqualTo(reason);
    assertThat(failure.transientFailure()).isEqualTo(passing);
    assertThat(failure.httpStatus()).isEqualTo(status);
    assertThat(failure.phase()).isEqualTo(SinkFailure.Phase.INGEST);
    assertThat(failure.contentType()).isEqualTo("application/json");
    assertThat(failure.bodyBytes()).isEqualTo(body.length());
  }

  @Test
  void a_stream_the_server_does_not_know_is_an_answer_of_its_own() {
    answer = request -> json(request, 404, "{\"error\":{\"code\":\"not_found\"}}");

    assertThat(ingest()).isEqualTo(new IngestOutcome.StreamUnknown());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "null",
        "no json",
        "{\"records_attempted\":2}",
        "{\"records_attempted\":2,\"records_accepted\":2.5,\"records_rejected\":0}",
        "{\"records_attempted\":2,\"records_accepted\":3,\"records_rejected\":-1}",
        "{\"records_attempted\":2,\"records_accepted\":2,\"records_rejected\":0} {}"
      })
  void a_success_that_is_not_the_expected_object_is_invalid(String body) {
    answer = request -> json(request, 200, body);

    assertThat(refusal().reason()).isEqualTo("ingest_response_invalid");
  }

  @ParameterizedTest
  @CsvSource({"1,1,0", "2,1,0", "2,2,1", "3,3,0"})
  void counts_that_do_not_add_up_break_the_contract(int attempted, int accepted, int rejected) {
    answer = request -> json(
        request,
        200,
        "{\"records_attempted\":" + attempted + ",\"records_accepted\":" + accepted
            + ",\"records_rejected\":" + rejected + "}");

    assertThat(refusal().reason()).isEqualTo("ingest_envelope_contract_violation");
    assertThat(refusal().transientFailure()).isFalse();
  }

  @Test
  void an_answer_that_is_too_long_is_not_read_to_its_end() {
    answer = request -> json(request, 200, "x".repeat(100_000));
    HttpRecordSink sink = new HttpRecordSink(
        vertx.createHttpClient(),
        options().setMaxResponseBytes(2_048),
        () -> Future.succeededFuture(TOKEN));

    IngestOutcome outcome = done(sink.ingest(batch(record("a", "{}"))));

    SinkFailure failure = ((IngestOutcome.Refused) outcome).failure();
    assertThat(failure.reason()).isEqualTo("ingest_response_invalid");
    assertThat(failure.bodyBytes()).isGreaterThan(2_048L);
  }

  @Test
  void a_request_larger_than_the_limit_is_not_sent() {
    HttpRecordSink sink = new HttpRecordSink(
        vertx.createHttpClient(),
        options().setMaxRequestBytes(1_024),
        () -> Future.succeededFuture(TOKEN));

    IngestOutcome outcome =
        done(sink.ingest(batch(record("a", "{\"v\":\"" + "x".repeat(2_000) + "\"}"))));

    SinkFailure failure = ((IngestOutcome.Refused) outcome).failure();
    assertThat(failure.reason()).isEqualTo("resource_limit");
    assertThat(failure.transientFailure()).isFalse();
    assertThat(seen).isEmpty();
  }

  @Test
  void no_answer_at_all_may_pass_and_leaves_open_whether_the_batch_was_stored() {
    answer = request -> request.connection().close();
    assertUnanswered(refusal());

    int port = server.actualPort();
    done(server.close());
    HttpRecordSink sink = new HttpRecordSink(
        vertx.createHttpClient(),
        new HttpRecordSinkOptions().setBaseUri("http://127.0.0.1:" + port),
        () -> Future.succeededFuture(TOKEN));
    assertUnanswered(
        ((IngestOutcome.Refused) done(sink.ingest(batch(record("a", "{}"))))).failure());
  }

  @Test
  void a_server_that_never_answers_is_given_up_after_the_time_limit() {
    Promise<Void> closed = Promise.promise();
    answer = request -> request.connection().closeHandler(gone -> closed.tryComplete());
    HttpRecordSink sink = new HttpRecordSink(
        vertx.createHttpClient(),
        options().setTimeout(Duration.ofMillis(50)),
        () -> Future.succeededFuture(TOKEN));

    assertUnanswered(
        ((IngestOutcome.Refused) done(sink.ingest(batch(record("a", "{}"))))).failure());
    done(closed.future());
  }

  private static void assertUnanswered(SinkFailure failure) {
    assertThat(failure.reason()).isEqualTo("ingest_http_error");
    assertThat(failure.transientFailure()).isTrue();
    assertThat(failure.httpStatus()).isNull();
    assertThat(failure.origin()).isEqualTo(SinkFailure.Origin.TRANSPORT);
  }

  @Test
  void a_redirect_takes_the_token_nowhere() {
    answer = request -> {
      request.response().putHeader("Location", "/elsewhere").setStatusCode(302).end();
    };

    assertThat(refusal().httpStatus()).isEqualTo(302);
    assertThat(seen).hasSize(1);
  }

  @Test
  void a_batch_that_is_sent_again_after_a_lost_answer_is_the_same_batch_and_adds_no_record() {
    Map<String, String> kept =
        new ConcurrentHashMap<>(); // by identity, as a resource server keeps them
    answer = request -> {
      for (String line : seen.get(seen.size() - 1).body().split("\n")) {
        kept.put(new JsonObject(line).getValue("key").toString(), line);
      }
      if (seen.size() == 1) {
        request.connection().close();
      } else {
        json(
            request,
            200,
            "{\"records_attempted\":2,\"records_accepted\":2,\"records_rejected\":0}");
      }
    };
    IngestBatch batch = batch(record("a", "{\"v\":1}"), record("b", "{\"v\":2}"));

    IngestOutcome lost = done(sink().ingest(batch));
    IngestOutcome again = done(sink().ingest(batch));

    assertUnanswered(((IngestOutcome.Refused) lost).failure());
    assertThat(again).isEqualTo(new IngestOutcome.Stored(new IngestReceipt(2, 2, 0, List.of())));
    assertThat(kept).containsOnlyKeys("a", "b");
    assertThat(seen).hasSize(2).extracting(Seen::body).containsOnly(seen.get(0).body());
  }

  @Test
  void an_answer_without_an_end_is_cut_off_at_the_limit() {
    Promise<Void> dropped = Promise.promise();
    answer = request -> {
      request.connection().closeHandler(closed -> dropped.tryComplete());
      HttpServerResponse endless = request.response().setChunked(true);
      writeOn(endless);
    };
    HttpRecordSink sink = new HttpRecordSink(
        vertx.createHttpClient(),
        options().setMaxResponseBytes(64 << 10),
        () -> Future.succeededFuture(TOKEN));

    IngestOutcome outcome = done(sink.ingest(batch(record("a", "{}"))));

    assertThat(((IngestOutcome.Refused) outcome).failure().reason())
        .isEqualTo("ingest_response_invalid");
    done(dropped.future());
  }

  private static void writeOn(HttpServerResponse endless) {
    endless.write(" ".repeat(8_192)).onSuccess(written -> writeOn(endless));
  }

  @Test
  void a_server_that_nobody_vouches_for_is_told_neither_token_nor_records(@TempDir Path folder)
      throws Exception {
    Path keys = selfSigned(folder);
    HttpServer secret = done(vertx
        .createHttpServer(new HttpServerOptions()
            .setSsl(true)
            .setKeyCertOptions(new PfxOptions().setPath(keys.toString()).setPassword("changeit")))
        .requestHandler(request -> request.body().onSuccess(body -> {
          seen.add(new Seen("", "", "", request.getHeader("Authorization"), body.toString()));
          json(request, 200, "{}");
        }))
        .listen(0, "127.0.0.1"));
    HttpRecordSink sink = new HttpRecordSink(
        vertx.createHttpClient(),
        new HttpRecordSinkOptions().setBaseUri("https://127.0.0.1:" + secret.actualPort()),
        () -> Future.succeededFuture(TOKEN));

    IngestOutcome outcome = done(sink.ingest(batch(record("a", "{}"))));

    assertUnanswered(((IngestOutcome.Refused) outcome).failure());
    assertThat(outcome.toString()).doesNotContain(TOKEN);
    assertThat(seen).isEmpty();
  }

  private static Path selfSigned(Path folder) throws Exception {
    Path keys = folder.resolve("keys.p12");
    Process keytool = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-keystore",
            keys.toString(),
            "-storetype",
            "PKCS12",
            "-storepass",
            "changeit",
            "-keyalg",
            "RSA",
            "-alias",
            "self",
            "-dname",
            "CN=127.0.0.1")
        .redirectErrorStream(true)
        .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
    return keys;
  }

  @Test
  void a_token_that_never_comes_holds_a_call_no_longer_than_the_time_limit() {
    Promise<String> late = Promise.promise();
    HttpRecordSink sink = new HttpRecordSink(
        vertx.createHttpClient(), options().setTimeout(Duration.ofMillis(50)), late::future);

    assertUnanswered(
        ((IngestOutcome.Refused) done(sink.ingest(batch(record("a", "{}"))))).failure());
    late.complete(TOKEN);
    assertThat(seen).isEmpty();
  }

  @Test
  void a_source_without_a_token_is_an_authentication_error() {
    for (TokenSource none : List.<TokenSource>of(
        () -> Future.succeededFuture(null),
        () -> Future.failedFuture(new IllegalStateException("secret")),
        () -> {
          throw new IllegalStateException("secret");
        })) {
      HttpRecordSink sink = new HttpRecordSink(vertx.createHttpClient(), options(), none);

      SinkFailure failure =
          ((IngestOutcome.Refused) done(sink.ingest(batch(record("a", "{}"))))).failure();

      assertThat(failure.reason()).isEqualTo("authentication_error");
      assertThat(failure.transientFailure()).isFalse();
      assertThat(failure.toString()).doesNotContain("secret");
    }
    assertThat(seen).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "two words", "line\nend", "ünder"})
  void a_token_that_is_none_is_an_authentication_error_and_is_not_quoted(String token) {
    HttpRecordSink sink = new HttpRecordSink(
        vertx.createHttpClient(), options(), () -> Future.succeededFuture(token));

    SinkFailure failure =
        ((IngestOutcome.Refused) done(sink.ingest(batch(record("a", "{}"))))).failure();

    assertThat(failure.reason()).isEqualTo("authentication_error");
    assertThat(failure.message()).isEqualTo("there is no usable bearer token");
    assertThat(seen).isEmpty();
  }

  @Test
  void no_failure_tells_the_token_or_the_records() {
    answer = request -> json(request, 500, request.getHeader("Authorization"));
    IngestOutcome outcome =
        done(sink().ingest(batch(record("secret-key", "{\"secret\":\"data\"}"))));

    assertThat(outcome.toString()).doesNotContain(TOKEN).doesNotContain("secret");
  }

  @Test
  void cursors_are_read_as_the_server_keeps_them() {
    answer = request -> json(
        request,
        200,
        "{\"state\":{\"books\":{\"n\":1.50,\"big\":12345678901234567890},\"none\":null}}");

    StateOutcome outcome = done(sink().readState(new StateScope(SHELF, "grant/1")));

    assertThat(seen.get(0).method()).isEqualTo("GET");
    assertThat(seen.get(0).uri())
        .isEqualTo("/base/v1/state/shelf?connector_instance_id=shelf&grant_id=grant%2F1");
    StateOutcome.Found found = (StateOutcome.Found) outcome;
    assertThat(found.cursors())
        .containsEntry(
            "books",
            new StoredCursor(
                "books",
                Json.ofChecked("{\"n\":1.50,\"big\":12345678901234567890}"),
                null,
                0,
                null))
        .containsEntry("none", new StoredCursor("none", Json.ofChecked("null"), null, 0, null));
  }

  @Test
  void cursors_are_read_that_are_as_large_as_connectors_may_send_them() {
    String cursor = "{\"" + "n".repeat(60_000) + "\":" + "7".repeat(10_000) + ",\"deep\":"
        + "[".repeat(200) + "]".repeat(200) + "}";
    answer = request -> json(request, 200, "{\"state\":{\"books\":" + cursor + "}}");

    StateOutcome outcome = done(sink().readState(StateScope.of(SHELF)));

    assertThat(((StateOutcome.Found) outcome).cursors().get("books").cursor().text())
        .isEqualTo(cursor);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"state\":[]}", "{\"state\":{\"books\":7}}"})
  void cursors_that_are_none_are_an_invalid_answer(String body) {
    answer = request -> json(request, 200, body);

    StateOutcome outcome = done(sink().readState(StateScope.of(SHELF)));

    assertThat(((StateOutcome.Refused) outcome).failure().reason())
        .isEqualTo("ingest_response_invalid");
  }

  @Test
  void a_cursor_is_stored_one_stream_a_call() {
    CommitOutcome outcome = done(sink().commitCursor(commit()));

    assertThat(outcome).isEqualTo(new CommitOutcome.Committed());
    assertThat(seen.get(0).method()).isEqualTo("PUT");
    assertThat(seen.get(0).uri()).isEqualTo("/base/v1/state/shelf?connector_instance_id=shelf");
    assertThat(seen.get(0).contentType()).isEqualTo("application/json");
    assertThat(seen.get(0).body()).isEqualTo("{\"state\":{\"books\":{\"page\":5}}}");
  }

  @Test
  void a_cursor_that_was_not_stored_says_why() {
    answer = request -> json(request, 403, "{\"error\":{\"code\":\"grant_revoked\"}}");

    SinkFailure failure = ((CommitOutcome.Refused) done(sink().commitCursor(commit()))).failure();

    assertThat(failure.reason()).isEqualTo("grant_revoked");
    assertThat(failure.phase()).isEqualTo(SinkFailure.Phase.STATE_COMMIT);
  }

  @Test
  void a_cursor_is_stored_by_an_empty_success_but_not_by_a_page_from_somebody_else() {
    answer = request -> request.response().setStatusCode(204).end();
    assertThat(done(sink().commitCursor(commit()))).isEqualTo(new CommitOutcome.Committed());

    answer = request -> json(request, 200, "<html>please log in</html>");
    SinkFailure failure = ((CommitOutcome.Refused) done(sink().commitCursor(commit()))).failure();

    assertThat(failure.reason()).isEqualTo("ingest_response_invalid");
    assertThat(failure.phase()).isEqualTo(SinkFailure.Phase.STATE_COMMIT);
  }

  private static CommitCursor commit() {
    return new CommitCursor(
        new RunFence("shelf", "run_1", 1), StateScope.of(SHELF), cursor("books", 5), NOON);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ftp://host",
        "host:80",
        "http://user:password@host",
        "http://host?x=1",
        "http://host#x",
        "http:///path",
        "http://ho st"
      })
  void an_address_that_is_none_is_refused_and_not_quoted(String address) {
    assertThatThrownBy(() -> new HttpRecordSinkOptions().setBaseUri(address))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> {
          assertThat(refused.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
          assertThat(refused.getMessage()).doesNotContain("password");
        });
  }
}
