package dev.runlane.console;

import static dev.runlane.console.ConsoleFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.ConsoleFixture.Answered;
import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.queue.FlowJob;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.testinfra.process.Poll;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class JobRoutesTest {
  private static final String QUEUES = "/api/v1/job-queues";
  private static final JsonObject REASON = new JsonObject().put("reason", "it was asked for");

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
  void a_list_and_a_flow_have_the_beginning_of_a_long_reason_which_the_job_has_whole() {
    JobQueue queue = console.jobs.queue("long");
    String reason = "no luck ".repeat(230);
    Job failed = await(queue.add("order", Map.of("lines", "x".repeat(10_000))));
    await(console.jobs.store().failJob("long", failed.id(), reason, Instant.now()));
    JsonObject listed =
        console.get(QUEUES + "/long/jobs").json().getJsonArray("data").getJsonObject(0);

    assertThat(listed.getString("failedReason")).isEqualTo(reason.substring(0, 1_000));
    assertThat(listed.containsKey("data")).isFalse();
    JsonObject whole = console.get(QUEUES + "/long/jobs/" + failed.id()).json();
    assertThat(whole.getString("failedReason")).isEqualTo(reason);
    assertThat(whole.getJsonObject("data").getString("lines")).hasSize(10_000);
  }

  @Test
  void queues_are_listed_with_their_counts_and_jobs_found_by_state_and_name() {
    JobQueue mails = console.jobs.queue("found");
    Job welcome = await(mails.add("welcome", Map.of("to", "ada")));
    await(mails.add("reminder", Map.of(), later()));

    assertThat(console.get(QUEUES).text()).contains("\"found\"");
    JsonObject counts = console.get(QUEUES + "/found").json().getJsonObject("counts");
    assertThat(counts.getInteger("waiting")).isEqualTo(1);
    assertThat(counts.getInteger("delayed")).isEqualTo(1);
    assertThat(names("/found/jobs?state=waiting")).containsExactly("welcome");
    assertThat(names("/found/jobs?name=remind")).containsExactly("reminder");
    assertThat(names("/found/jobs?skip=1&limit=1")).hasSize(1);
    JsonObject whole = console.get(QUEUES + "/found/jobs/" + welcome.id()).json();
    assertThat(whole.getJsonObject("data").getString("to")).isEqualTo("ada");
    assertThat(console.get(QUEUES + "/found/jobs/none").error().getString("code"))
        .isEqualTo("job_not_found");
  }

  @Test
  void a_job_is_found_by_its_id_alone_without_its_payload() {
    Job job = await(console.jobs.queue("somewhere").add("welcome", Map.of("to", "ada")));

    JsonArray found = console.get("/api/v1/jobs/" + job.id()).json().getJsonArray("data");

    assertThat(found).hasSize(1);
    assertThat(found.getJsonObject(0).getString("queueName")).isEqualTo("somewhere");
    assertThat(found.getJsonObject(0).containsKey("data")).isFalse();
    assertThat(console.get("/api/v1/jobs/none").json().getJsonArray("data")).isEmpty();
  }

  @Test
  void a_job_is_promoted_cancelled_retried_and_removed_with_a_reason_in_the_log_of_actions() {
    Job job = await(console.jobs.queue("acted").add("welcome", Map.of(), later()));
    String path = QUEUES + "/acted/jobs/" + job.id();

    assertThat(console.post(path + "/promote", REASON).json().getString("done"))
        .isEqualTo("promoted");
    assertThat(state(path)).isEqualTo("waiting");
    assertThat(console.post(path + "/promote", REASON).status()).isEqualTo(409);
    assertThat(console.post(path + "/cancel", REASON).json().getString("done"))
        .isEqualTo("cancelled");
    assertThat(state(path)).isEqualTo("failed");
    assertThat(console.post(path + "/retry", REASON).status()).isEqualTo(200);
    assertThat(state(path)).isEqualTo("waiting");
    assertThat(console.post(path + "/remove", REASON).status()).isEqualTo(200);
    assertThat(console.get(path).status()).isEqualTo(404);
    assertThat(console.get("/api/v1/actions?limit=200").text())
        .contains("job.promote", "job.remove", "it was asked for")
        .contains("\"target\":\"acted/" + job.id() + "\"");
  }

  @Test
  void a_queue_is_paused_resumed_promoted_and_drained() {
    JobQueue queue = console.jobs.queue("whole");
    await(queue.add("one", Map.of(), later()));

    console.post(QUEUES + "/whole/pause", REASON);
    assertThat(console.get(QUEUES + "/whole").json().getJsonArray("pausedNames"))
        .containsExactly("__all__");
    console.post(QUEUES + "/whole/resume", REASON);
    await(queue.pause("one"));
    JsonArray listed = console.get(QUEUES).json().getJsonArray("data");
    assertThat(listed.stream()
            .map(JsonObject.class::cast)
            .filter(each -> each.getString("name").equals("whole"))
            .map(each -> each.getJsonArray("pausedNames")))
        .containsExactly(new JsonArray().add("one"));
    await(queue.resume("one"));
    assertThat(console.get(QUEUES + "/whole").json().getJsonArray("pausedNames"))
        .isEmpty();
    assertThat(console.post(QUEUES + "/whole/promote-delayed", REASON).json().getInteger("count"))
        .isEqualTo(1);
    console.post(QUEUES + "/whole/drain", REASON);
    assertThat(names("/whole/jobs")).isEmpty();
    assertThat(results("whole"))
        .containsExactly(
            "job_queue.drain done",
            "job_queue.promote 1 jobs",
            "job_queue.resume done",
            "job_queue.pause done");
  }

  /** Of the actions on a queue, the latest first. */
  private static List<String> results(String target) {
    return console.get("/api/v1/actions?limit=200").json().getJsonArray("data").stream()
        .map(JsonObject.class::cast)
        .filter(each -> target.equals(each.getString("target")))
        .map(each -> each.getString("action") + " " + each.getString("result"))
        .toList();
  }

  @Test
  void jobs_of_one_name_are_paused_and_resumed_while_others_go_on() {
    JobQueue queue = console.jobs.queue("named");
    await(queue.add("welcome", Map.of()));
    JsonObject welcome = new JsonObject().put("name", "welcome").mergeIn(REASON);

    assertThat(console.post(QUEUES + "/named/pause", welcome).status()).isEqualTo(200);
    assertThat(await(queue.getPausedJobNames())).containsExactly("welcome");
    console.post(QUEUES + "/named/resume", REASON);
    assertThat(await(queue.getPausedJobNames())).containsExactly("welcome");
    assertThat(console.post(QUEUES + "/named/resume", welcome).status()).isEqualTo(200);
    assertThat(await(queue.getPausedJobNames())).isEmpty();
    assertThat(console.get("/api/v1/actions?limit=200").text())
        .contains("\"result\":\"jobs named welcome\"");
    assertThat(console
            .post(QUEUES + "/named/pause", new JsonObject().put("name", "").mergeIn(REASON))
            .status())
        .isEqualTo(400);
  }

  @Test
  void a_schedule_is_told_with_its_options_and_removed_for_ever() {
    JobQueue queue = console.jobs.queue("planned");
    await(queue.upsertSchedule(
        "nightly",
        JobRepeat.cron("0 2 * * *", ZoneId.of("Europe/Vienna")),
        "report",
        Map.of("of", "sales"),
        JobOptions.builder().attempts(3).priority(5).deadLetterQueue("lost").build()));

    JsonObject told =
        console.get(QUEUES + "/planned/schedules").json().getJsonArray("data").getJsonObject(0);
    assertThat(told.getString("key")).isEqualTo("nightly");
    assertThat(told.getJsonObject("opts").getInteger("attempts")).isEqualTo(3);
    assertThat(told.getJsonObject("opts").getInteger("priority")).isEqualTo(5);
    assertThat(told.getJsonObject("opts").getString("deadLetterQueue")).isEqualTo("lost");
    assertThat(told.getJsonObject("repeat").getString("tz")).isEqualTo("Europe/Vienna");
    assertThat(told.getJsonObject("data").getString("of")).isEqualTo("sales");
    JsonObject brief = console
        .get(QUEUES + "/planned/schedules?payloads=false")
        .json()
        .getJsonArray("data")
        .getJsonObject(0);
    told.remove("data");
    assertThat(brief).isEqualTo(told);

    String remove = QUEUES + "/planned/schedules/nightly/remove";
    assertThat(console.post(remove, REASON).json().getString("done")).isEqualTo("removed");
    assertThat(await(queue.getSchedules())).isEmpty();
    assertThat(console.post(remove, REASON).error().getString("code"))
        .isEqualTo("schedule_not_found");
    assertThat(console.get("/api/v1/actions?limit=200").text())
        .contains("\"action\":\"job_schedule.remove\"", "\"target\":\"planned/nightly\"");
  }

  @Test
  void failed_jobs_that_fit_are_counted_and_retried_and_cancelled_ones_only_if_asked_for() {
    JobQueue queue = console.jobs.queue("refused");
    for (String name : List.of("mail", "mail", "call")) {
      await(await(queue.add(name, Map.of())).moveToFailed("no luck"));
    }
    await(await(queue.add("mail", Map.of())).cancel());

    assertThat(failedCount("")).isEqualTo(3);
    assertThat(failedCount("?name=mai")).isEqualTo(2);
    assertThat(failedCount("?name=mai&withCancelled=true")).isEqualTo(3);
    assertThat(failedCount("?group=g")).isZero();
    assertThat(failedCount("?createdBefore=2020-01-01T00:00:00Z")).isZero();
    assertThat(retried(new JsonObject().put("name", "mai").put("group", "g"))).isZero();
    assertThat(retried(new JsonObject().put("createdBefore", "2020-01-01T00:00:00Z")))
        .isZero();
    assertThat(retried(new JsonObject().put("name", "mai"))).isEqualTo(2);
    assertThat(retried(new JsonObject())).isEqualTo(1);
    assertThat(retried(new JsonObject().put("withCancelled", true))).isEqualTo(1);
  }

  private static int failedCount(String filter) {
    return console.get(QUEUES + "/refused/failed-count" + filter).json().getInteger("count");
  }

  private static int retried(JsonObject filter) {
    return console
        .post(QUEUES + "/refused/retry-failed", filter.mergeIn(REASON))
        .json()
        .getInteger("count");
  }

  @Test
  void what_ended_in_a_queue_is_told_minute_by_minute_or_hour_by_hour() {
    JobQueue queue = console.jobs.queue("metered");
    console.jobs.worker(
        "metered",
        (job, signal) -> job.name().equals("fails")
            ? Future.failedFuture("it was to")
            : Future.succeededFuture(JobResult.done(Map.of())));
    Job done = await(queue.add("one", Map.of(), JobOptions.NONE));
    Job failed =
        await(queue.add("fails", Map.of(), JobOptions.builder().attempts(1).build()));
    awaitState(QUEUES + "/metered/jobs/" + done.id(), "completed");
    awaitState(QUEUES + "/metered/jobs/" + failed.id(), "failed");

    JsonObject metrics = console.get(QUEUES + "/metered/metrics").json();

    assertThat(metrics.getBoolean("isKept")).isTrue();
    assertThat(metrics.getInteger("stepMinutes")).isEqualTo(1);
    assertThat(sum(metrics, "completed")).isEqualTo(1);
    assertThat(sum(metrics, "failed")).isEqualTo(1);
    String days = "?from=" + Instant.now().minus(Duration.ofDays(3));
    assertThat(console.get(QUEUES + "/metered/metrics" + days).json().getInteger("stepMinutes"))
        .isEqualTo(60);
    String month = "?from=" + Instant.now().minus(Duration.ofDays(40));
    assertThat(console.get(QUEUES + "/metered/metrics" + month).status()).isEqualTo(400);
  }

  private static int sum(JsonObject metrics, String name) {
    return metrics.getJsonArray("data").stream()
        .mapToInt(point -> ((JsonObject) point).getInteger(name))
        .sum();
  }

  private static void awaitState(String path, String wanted) {
    assertThat(Poll.until(ConsoleFixture.LONGEST, () -> state(path).equals(wanted)))
        .as("%s is %s", path, wanted)
        .isTrue();
  }

  @Test
  void a_flow_is_a_tree_of_jobs_with_their_states() {
    FlowJob album = FlowJob.of("album", "flows", Map.of())
        .after(FlowJob.of("one", "flows", Map.of()), FlowJob.of("two", "flows", Map.of()));
    String parent = await(console.jobs.flows().add(album)).job().id();

    JsonObject tree = console.get(QUEUES + "/flows/jobs/" + parent + "/flow").json();

    assertThat(tree.getBoolean("isCut")).isFalse();
    JsonObject flow = tree.getJsonObject("flow");
    assertThat(flow.getJsonObject("job").getString("state")).isEqualTo("waiting-children");
    assertThat(childrenOf(flow)).containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void a_child_of_an_earlier_flow_is_not_in_the_tree_of_a_parent_that_has_the_id_anew() {
    FlowJob album = FlowJob.of("album", "flows", Map.of())
        .with(JobOptions.builder().jobId("album").build());
    Job earlier = await(console.jobs.flows().add(album.after(FlowJob.of("one", "flows", Map.of()))))
        .job();
    await(earlier.remove());
    await(console.jobs.flows().add(album.after(FlowJob.of("two", "flows", Map.of()))));

    JsonObject tree = console.get(QUEUES + "/flows/jobs/album/flow").json();

    assertThat(childrenOf(tree.getJsonObject("flow"))).containsExactly("two");
  }

  private static List<String> childrenOf(JsonObject flow) {
    return flow.getJsonArray("children").stream()
        .map(each -> ((JsonObject) each).getJsonObject("job").getString("name"))
        .toList();
  }

  @Test
  void payloads_and_logs_of_jobs_are_masked_and_drains_need_an_admin() {
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.data.card", "$.logs"))
        .setTokens(List.of(new TokenOptions()
            .setName("olga")
            .setRole(Role.OPERATOR)
            .setToken("olga-0123456789-0123456789-0123456789")));
    Map<String, String> olga = Map.of(
        "authorization",
        "Bearer olga-0123456789-0123456789-0123456789",
        "content-type",
        "application/json");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      Job job = await(other.jobs.queue("cards").add("pay", Map.of("card", "4111")));
      await(other.jobs.store().appendLog("cards", job.id(), "paid with 4111"));
      String path = QUEUES + "/cards/jobs/" + job.id();

      Answered whole = other.send("GET", path, null, olga);
      Answered lines = other.send("GET", path + "/log", null, olga);

      assertThat(whole.text()).contains("[masked]").doesNotContain("4111");
      assertThat(lines.json().getJsonArray("data")).isEqualTo(new JsonArray().add("[masked]"));
      assertThat(
              other.send("POST", QUEUES + "/cards/drain", REASON.encode(), olga).status())
          .isEqualTo(403);
      assertThat(other
              .send("POST", QUEUES + "/cards/schedules/x/remove", REASON.encode(), olga)
              .status())
          .isEqualTo(403);
    }
  }

  @Test
  void what_is_masked_of_a_job_is_masked_in_its_attempts_its_options_and_its_dead_letter() {
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.failedReason", "$.logs", "$.deduplicationKey", "$.id"))
        .setTokens(List.of(
            new TokenOptions()
                .setName("olga")
                .setRole(Role.OPERATOR)
                .setToken("olga-0123456789-0123456789-0123456789"),
            new TokenOptions()
                .setName("ada")
                .setRole(Role.ADMIN)
                .setToken("ada-0123456789-0123456789-0123456789")));
    Map<String, String> olga =
        Map.of("authorization", "Bearer olga-0123456789-0123456789-0123456789");
    Map<String, String> ada =
        Map.of("authorization", "Bearer ada-0123456789-0123456789-0123456789");
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      other.jobs.worker("cards", (job, signal) -> job.log("charges 4711")
          .compose(logged -> Future.failedFuture(new IllegalStateException("4711 declined"))));
      Job job = await(other
          .jobs
          .queue("cards")
          .add(
              "pay",
              Map.of(),
              JobOptions.builder()
                  .attempts(1)
                  .deduplication(JobDeduplication.byKey("card-4711"))
                  .deadLetterQueue("lost")
                  .build()));
      String path = QUEUES + "/cards/jobs/" + job.id();
      String lost = QUEUES + "/lost/jobs";
      assertThat(Poll.until(ConsoleFixture.LONGEST, () -> !other
              .send("GET", lost, null, ada)
              .json()
              .getJsonArray("data")
              .isEmpty()))
          .isTrue();
      String dead = lost + "/"
          + other
              .send("GET", lost, null, ada)
              .json()
              .getJsonArray("data")
              .getJsonObject(0)
              .getString("id");

      assertThat(other
              .send("GET", dead, null, ada)
              .json()
              .getJsonObject("deadLetter")
              .getString("jobId"))
          .isEqualTo(job.id());
      assertThat(other.send("GET", dead, null, olga).text()).doesNotContain(job.id());
      await(other
          .jobs
          .queue("cards")
          .upsertSchedule(
              "monthly",
              JobRepeat.every(Duration.ofDays(30)),
              "pay",
              Map.of(),
              JobOptions.builder()
                  .deduplication(JobDeduplication.byKey("card-4711"))
                  .build()));
      String schedules = QUEUES + "/cards/schedules";
      for (String each :
          List.of(path, dead, QUEUES + "/cards/jobs", lost, path + "/flow", schedules)) {
        assertThat(other.send("GET", each, null, olga).text()).as(each).doesNotContain("4711");
      }
      assertThat(other.send("GET", schedules, null, ada).text()).contains("card-4711");
      String found = "/api/v1/jobs/" + job.id();
      assertThat(other.send("GET", found, null, ada).status()).isEqualTo(200);
      assertThat(other.send("GET", found, null, olga).error().getString("code"))
          .as("by an id that is hidden")
          .isEqualTo("filter_masked");
      assertThat(other.send("GET", path, null, ada).text()).contains("4711 declined", "card-4711");
      assertThat(other.send("GET", dead, null, ada).text()).contains("4711");
    }
  }

  @Test
  void names_of_paused_jobs_are_hidden_from_who_may_not_see_names_of_jobs() {
    String token = "olga-0123456789-0123456789-0123456789";
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.name"))
        .setTokens(
            List.of(new TokenOptions().setName("olga").setRole(Role.OPERATOR).setToken(token)));
    try (ConsoleFixture other = new ConsoleFixture(options)) {
      JobQueue queue = other.jobs.queue("mail");
      await(queue.add("smith", Map.of()));
      await(queue.pause("smith"));
      Map<String, String> olga = Map.of("authorization", "Bearer " + token);
      JsonArray hidden = new JsonArray().add("[masked]");

      Answered one = other.send("GET", QUEUES + "/mail", null, olga);
      Answered all = other.send("GET", QUEUES, null, olga);

      assertThat(other
              .send(
                  "POST",
                  QUEUES + "/mail/resume",
                  new JsonObject().put("name", "smith").mergeIn(REASON).encode(),
                  Map.of("authorization", "Bearer " + token, "content-type", "application/json"))
              .error()
              .getString("code"))
          .isEqualTo("filter_masked");
      assertThat(one.json().getJsonArray("pausedNames")).isEqualTo(hidden);
      assertThat(all.json().getJsonArray("data").getJsonObject(0).getJsonArray("pausedNames"))
          .isEqualTo(hidden);
      await(queue.pause());
      assertThat(other.send("GET", QUEUES + "/mail", null, olga).text())
          .contains("__all__")
          .doesNotContain("smith");
    }
  }

  private static JobOptions later() {
    return JobOptions.builder().delay(Duration.ofHours(1)).build();
  }

  private static String state(String path) {
    return console.get(path).json().getString("state");
  }

  private static List<String> names(String list) {
    return console.get(QUEUES + list).json().getJsonArray("data").stream()
        .map(each -> ((JsonObject) each).getString("name"))
        .toList();
  }
}
