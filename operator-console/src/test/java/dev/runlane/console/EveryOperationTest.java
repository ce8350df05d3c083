package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.ConsoleFixture.Answered;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.Parameter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What holds for every operation that the document has, those too that are added to it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class EveryOperationTest {
  private static final Map<String, String> JSON = Map.of("content-type", "application/json");
  private static final int TEN_MEBIBYTES = 10 << 20;

  private static ConsoleFixture console;

  @BeforeAll
  static void start() {
    console = new ConsoleFixture(new ConsoleOptions());
  }

  @AfterAll
  static void stop() {
    console.close();
  }

  @Test
  void a_parameter_that_the_document_does_not_name_is_refused() {
    for (Operation operation : operations()) {
      assertRefused(operation, send(operation, "?surprise=1", "{\"reason\":\"r\"}"), 400);
    }
  }

  @Test
  void a_malformed_body_and_an_unknown_field_are_refused() {
    for (Operation operation : operations()) {
      if (operation.getRequestBody() != null) {
        for (String body : List.of(
            "{",
            "[]",
            "null",
            "\"x\"",
            "",
            "{\"reason\":\"r\",\"surprise\":1}",
            "{\"reason\":7}")) {
          assertRefused(operation, send(operation, "", body), 400);
        }
      }
    }
  }

  @Test
  void a_body_of_ten_mebibytes_is_refused_before_it_is_read() {
    for (Operation operation : operations()) {
      assertThat(console.firstLine(tenMebibytes(operation)))
          .as(operation.getOperationId())
          .startsWith("HTTP/1.1 413");
    }
  }

  @Test
  void who_goes_on_to_send_a_body_that_was_refused_is_cut_off() {
    assertThat(console.raw(tenMebibytes(operations().get(0))))
        .contains("connection: close", "request_entity_too_large_error");
  }

  private static String tenMebibytes(Operation operation) {
    return operation.getHttpMethod().name() + " " + path(operation)
        + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        + TEN_MEBIBYTES + "\r\n\r\n{";
  }

  @Test
  void a_cursor_of_another_list_is_refused() {
    for (int i = 0; i < 2; i++) {
      console.trigger("echo", new JsonObject());
    }
    List<String> foreign = List.of(
        console.get("/api/v1/runs?limit=1&direction=asc").json().getString("nextCursor"),
        console.get("/api/v1/actions?limit=1").json().getString("nextCursor"),
        "no-cursor",
        "e30=");
    for (Operation operation : operations()) {
      boolean isPaged =
          operation.getParameters().stream().map(Parameter::getName).anyMatch("cursor"::equals);
      for (int i = 0; isPaged && i < foreign.size(); i++) {
        if (i != 1 || !operation.getOperationId().equals("listActions")) {
          assertRefused(operation, send(operation, "?cursor=" + foreign.get(i), null), 400);
        }
      }
    }
  }

  @Test
  void an_unknown_id_is_told_as_such_and_never_a_fault() {
    for (Operation operation : operations()) {
      if (operation.getOpenAPIPath().contains("{")) {
        assertThat(send(operation, "", "{\"reason\":\"r\"}").status())
            .as(operation.getOperationId())
            .isIn(200, 400, 404);
      }
    }
  }

  @Test
  void what_changes_something_is_named_in_the_log_of_actions() {
    List<String> recordedByTheRuntime = List.of(
        "redriveOutbox",
        "resetKey",
        "pauseQueue",
        "resumeQueue",
        "pauseSchedule",
        "resumeSchedule",
        "fireSchedule",
        "putAlertRule",
        "removeAlertRule",
        "silenceAlertRule",
        "testAlertChannel",
        "putSavedFilter",
        "removeSavedFilter",
        "startBulkAction");

    assertThat(operations())
        .filteredOn(operation -> !operation.getHttpMethod().name().equals("GET"))
        .allSatisfy(
            operation -> assertThat(operation.getOpenAPIModel().containsKey("x-runlane-action")
                    || recordedByTheRuntime.contains(operation.getOperationId()))
                .as(operation.getOperationId())
                .isTrue());
  }

  @Test
  void whatever_is_asked_is_answered_as_the_document_says_and_is_no_fault_of_the_console() {
    long seed = Long.getLong("runlane.fuzz.seed", System.nanoTime());

    Set<Integer> wanted = Set.of(200, 201, 400, 404);
    Map<Integer, Integer> statuses =
        new RequestFuzzer(console, seed).run(Duration.ofSeconds(3), wanted);

    assertThat(statuses.keySet()).as("seed %d", seed).containsAll(wanted);
  }

  private static List<Operation> operations() {
    return console.contract().operations();
  }

  private static void assertRefused(Operation operation, Answered answered, int status) {
    assertThat(answered.status())
        .as(operation.getOperationId() + " answered " + answered.text())
        .isEqualTo(status);
    assertThat(answered.error().getString("type")).isEqualTo("invalid_request_error");
  }

  private static Answered send(Operation operation, String query, String body) {
    boolean reads = operation.getHttpMethod().name().equals("GET");
    return console.send(
        operation.getHttpMethod().name(),
        path(operation) + query,
        reads ? null : body,
        reads ? Map.of() : JSON);
  }

  private static String path(Operation operation) {
    return operation.getOpenAPIPath().replaceAll("\\{\\w+}", "none");
  }
}
