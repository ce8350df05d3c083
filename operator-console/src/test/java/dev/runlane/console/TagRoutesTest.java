package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.ConsoleFixture.Answered;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TagRoutesTest {
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
  void a_run_is_triggered_with_tags_shown_with_them_and_found_by_them() {
    String id = triggered(new JsonObject().put("customer", "acme").put("region", "eu:1"));
    triggered(new JsonObject().put("customer", "acme"));

    assertThat(console.get("/api/v1/runs/" + id).json().getJsonObject("tags"))
        .isEqualTo(new JsonObject().put("customer", "acme").put("region", "eu:1"));
    assertThat(ids("tag=customer:acme&tag=region:eu:1")).containsExactly(id);
    assertThat(ids("tag=customer:acme")).hasSize(2).contains(id);
    assertThat(ids("tag=customer:acme&task=gated")).isEmpty();
    assertThat(console.get("/api/v1/runs?tag=region:eu%3A1&format=csv").text())
        .contains("\"\"customer\"\":\"\"acme\"\"");
  }

  @Test
  void pages_of_tagged_runs_go_on_with_their_cursor() {
    List<String> made = List.of(
        triggered(new JsonObject().put("page", "x")), triggered(new JsonObject().put("page", "x")));

    JsonObject first = console.get("/api/v1/runs?tag=page:x&limit=1").json();

    assertThat(first.getJsonArray("data").getJsonObject(0).getJsonObject("tags"))
        .isEqualTo(new JsonObject().put("page", "x"));
    assertThat(console
            .get("/api/v1/runs?tag=page:x&limit=1&cursor=" + first.getString("nextCursor"))
            .text())
        .contains(made.get(0));
    assertThat(
            console.get("/api/v1/runs?cursor=" + first.getString("nextCursor")).status())
        .isEqualTo(400);
  }

  @Test
  void a_tag_is_looked_for_together_with_an_error_code_or_a_text_of_the_failure() {
    String failed = triggered("fails", new JsonObject().put("customer", "umbrella"));
    console.ended(failed);
    console.ended(triggered("fails", new JsonObject().put("customer", "initech")));
    console.ended(triggered(new JsonObject().put("customer", "umbrella")));

    for (String failure : List.of("errorCode=task_failed", "failureText=failed")) {
      JsonObject found =
          console.get("/api/v1/run-search?tag=customer:umbrella&" + failure).json();

      assertThat(ids(found)).as(failure).containsExactly(failed);
      assertThat(found.getJsonObject("looked").getInteger("runs")).isEqualTo(2);
      assertThat(found.getJsonArray("data").getJsonObject(0).getJsonObject("tags"))
          .isEqualTo(new JsonObject().put("customer", "umbrella"));
    }
  }

  @Test
  void a_tag_that_no_run_can_have_is_refused() {
    assertThat(console.get("/api/v1/run-search?tag=customer&errorCode=x").status())
        .isEqualTo(400);
    assertThat(console.get("/api/v1/runs?tag=customer").status()).isEqualTo(400);
    assertThat(console.get("/api/v1/runs?tag=:acme").status()).isEqualTo(400);
    assertThat(console.get("/api/v1/runs?tag=a:1&tag=a:2").status()).isEqualTo(400);
    Answered refused = console.post(
        "/api/v1/tasks/echo/trigger",
        new JsonObject()
            .put("payload", new JsonObject())
            .put("tags", new JsonObject().put("a:b", "x")));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.error().getString("message")).contains("name of a tag");
  }

  private static String triggered(JsonObject tags) {
    return triggered("echo", tags);
  }

  private static String triggered(String task, JsonObject tags) {
    return console
        .post(
            "/api/v1/tasks/" + task + "/trigger",
            new JsonObject().put("payload", new JsonObject()).put("tags", tags))
        .json()
        .getJsonObject("run")
        .getString("id");
  }

  private static List<String> ids(String query) {
    return ids(console.get("/api/v1/runs?" + query).json());
  }

  private static List<String> ids(JsonObject page) {
    return page.getJsonArray("data").stream()
        .map(run -> ((JsonObject) run).getString("id"))
        .toList();
  }
}
