package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.console.ConsoleOptions;
import dev.runlane.console.OperatorConsole;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.JobWorker;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.testinfra.postgres.ReusedSchemas;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("runlane jobs")
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobsTest {
  private static final ReusedSchemas SCHEMAS = new ReusedSchemas("with_jobs_");

  private OperatedFleet fleet;
  private PgJobStore store;
  private Jobs jobs;
  private JobQueue mails;

  @BeforeEach
  void start() {
    fleet = OperatedFleet.onEmptied(SCHEMAS);
    store = PgJobStore.create(
        fleet.vertx,
        new PgJobStoreOptions().setConnectOptions(fleet.way()).setSchema(fleet.schema));
    await(store.connect());
    jobs = Jobs.create(fleet.vertx, store);
    mails = jobs.queue("mails");
  }

  @AfterEach
  void end() {
    await(jobs.close());
    await(store.disconnect());
    fleet.close();
  }

  private JobState state(Job job) {
    return await(mails.getJob(job.id())).orElseThrow().state();
  }

  @Test
  void a_job_and_a_list_are_the_same_json_from_the_database_as_over_the_api() throws Exception {
    Job waiting = await(mails.add("welcome", Map.of("to", "ada", "total", 1.50)));
    await(waiting.log("looking for a stamp"));

    for (String[] command : List.of(
        new String[] {"jobs", "get", "mails", waiting.id(), "--json"},
        new String[] {"jobs", "list", "mails", "--json"})) {
      assertThat(fleet.runlane(command).out())
          .contains("startedAttempts")
          .isEqualTo(overTheApi(command).out());
    }
  }

  @Test
  void queues_and_jobs_are_listed_with_their_states() {
    Job waiting = await(mails.add("welcome", "ada"));
    Job delayed = await(mails.schedule(Duration.ofHours(1), "remind", "eve", JobOptions.NONE));
    await(waiting.log("looking\nfor a stamp"));

    JsonNode queue = fleet.json("jobs", "queues").path("data").get(0);
    assertThat(queue.path("queue").asText()).isEqualTo("mails");
    assertThat(queue.path("counts").path("waiting").asInt()).isEqualTo(1);
    assertThat(fleet.runlane("jobs", "queues").out())
        .containsPattern("QUEUE +WAITING +WAITING-CHILDREN +DELAYED +ACTIVE +COMPLETED +FAILED");
    assertThat(fleet.runlane("jobs", "list", "mails").out())
        .containsPattern(delayed.id() + " +remind +delayed +0 .* due in ")
        .containsPattern(waiting.id() + " +welcome +waiting");
    assertThat(fleet
            .json("jobs", "list", "mails", "--state", "delayed")
            .path("data")
            .findValuesAsText("id"))
        .containsExactly(delayed.id());
    assertThat(fleet.runlane("jobs", "list", "mails", "-n", "1").out())
        .contains("More: --skip 1 of 2");
    assertThat(fleet
            .json("jobs", "list", "mails", "--skip", String.valueOf(Integer.MAX_VALUE))
            .path("total")
            .asInt())
        .isEqualTo(2);
    assertThat(fleet.json("jobs", "get", "mails", waiting.id()).path("data").asText())
        .isEqualTo("ada");
    assertThat(fleet.runlane("jobs", "get", "mails", waiting.id()).out())
        .contains("\"state\" : \"waiting\"");
    assertThat(fleet.runlane("jobs", "logs", "mails", waiting.id()).out()).hasLineCount(1);
    assertThat(fleet.runlane("jobs", "get", "mails", "none").exitCode()).isEqualTo(4);
    assertThat(fleet.runlane("jobs", "list", "mails", "-s", "lost").exitCode()).isEqualTo(2);
  }

  @Test
  void jobs_are_retried_promoted_and_removed_by_id_or_all_of_a_kind() {
    List<Job> failed = List.of(await(mails.add("a", 1)), await(mails.add("a", 2)));
    failed.forEach(job -> await(job.moveToFailed("no stamp")));
    Job delayed = await(mails.schedule(Duration.ofHours(1), "b", 3, JobOptions.NONE));

    assertThat(fleet.runlane("jobs", "list", "mails", "-s", "failed").out()).contains("no stamp");
    assertThat(fleet.runlane("jobs", "retry", "mails", failed.get(0).id()))
        .isEqualTo(new Printed(0, "1 job retried\n", ""));
    assertThat(fleet
            .json("jobs", "retry", "mails", "--failed", "--yes")
            .path("retried")
            .asInt())
        .isEqualTo(1);
    assertThat(state(failed.get(1))).isEqualTo(JobState.WAITING);
    Printed unasked = fleet.runlane("jobs", "promote", "mails", "--delayed");
    assertThat(unasked.exitCode()).isEqualTo(2);
    assertThat(unasked.err())
        .contains("with --delayed, --dry-run counts the jobs that it would be done to, and --yes");
    assertThat(
            fleet.runlane("jobs", "promote", "mails", "--delayed", "--dry-run").out())
        .isEqualTo("1 would be promoted. Nothing was done: --yes does it.\n");
    assertThat(
            fleet.runlane("jobs", "promote", "mails", delayed.id(), "--dry-run").exitCode())
        .isEqualTo(2);
    assertThat(state(delayed)).isEqualTo(JobState.DELAYED);
    assertThat(fleet.runlane("jobs", "promote", "mails", "--delayed", "--yes").out())
        .isEqualTo("1 job promoted\n");
    assertThat(state(delayed)).isEqualTo(JobState.WAITING);
    assertThat(fleet.runlane("jobs", "promote", "mails", delayed.id()).exitCode())
        .isEqualTo(1);
    Printed removed = fleet.runlane(
        "jobs", "remove", "mails", "none", delayed.id(), failed.get(0).id());
    assertThat(removed.exitCode()).isEqualTo(1);
    assertThat(removed.out()).isEqualTo("2 jobs removed\n");
    assertThat(removed.err()).startsWith("runlane: job none: ").hasLineCount(1);
    assertThat(await(mails.getJob(delayed.id()))).isEmpty();
    assertThat(await(mails.getJob(failed.get(0).id()))).isEmpty();
    assertThat(fleet.runlane("jobs", "remove", "mails").exitCode()).isEqualTo(2);
  }

  @Test
  void failed_jobs_are_retried_by_name_group_and_age_and_cancelled_ones_only_if_asked_for() {
    JobOptions ofAcme = JobOptions.builder().group(JobGroup.of("acme")).build();
    Job mail = await(mails.add("mail", 1));
    Job grouped = await(mails.add("mail", 2, ofAcme));
    Job call = await(mails.add("call", 3));
    Job cancelled = await(mails.add("mail", 4));
    for (Job job : List.of(mail, grouped, call)) {
      await(job.moveToFailed("no stamp"));
    }
    await(cancelled.cancel());

    assertThat(fleet.runlane("jobs", "retry", "mails", "--failed", "--name", "MAI", "--dry-run"))
        .isEqualTo(new Printed(0, "2 would be retried. Nothing was done: --yes does it.\n", ""));
    Printed unsaid = fleet.runlane("jobs", "retry", "mails", "--failed");
    assertThat(unsaid.exitCode()).isEqualTo(2);
    assertThat(unsaid.err()).contains("--dry-run counts the jobs", "--yes does it");
    assertThat(fleet
            .runlane("jobs", "retry", "mails", "--failed", "--dry-run", "--yes")
            .exitCode())
        .isEqualTo(2);
    assertThat(state(mail)).isEqualTo(JobState.FAILED);
    assertThat(fleet
            .json("jobs", "retry", "mails", "--failed", "--cancelled", "--dry-run")
            .path("matched")
            .asInt())
        .isEqualTo(4);
    assertThat(retried("--until", "1h")).isZero();
    assertThat(retried("--group", "acme", "--since", "1h")).isEqualTo(1);
    assertThat(state(grouped)).isEqualTo(JobState.WAITING);
    assertThat(retried("--name", "call")).isEqualTo(1);
    assertThat(retried()).isEqualTo(1);
    assertThat(state(mail)).isEqualTo(JobState.WAITING);
    assertThat(state(cancelled)).isEqualTo(JobState.FAILED);
    assertThat(retried("--cancelled")).isEqualTo(1);
    assertThat(
            fleet.runlane("jobs", "retry", "mails", mail.id(), "--name", "mail").exitCode())
        .isEqualTo(2);
    assertThat(fleet
            .json("jobs", "list", "mails", "--name", "mail", "--since", "1h")
            .path("total")
            .asInt())
        .isEqualTo(3);
    assertThat(
            fleet.json("jobs", "list", "mails", "--until", "1h").path("total").asInt())
        .isZero();
  }

  private int retried(String... filter) {
    List<String> arguments =
        new ArrayList<>(List.of("jobs", "retry", "mails", "--failed", "--yes"));
    arguments.addAll(List.of(filter));
    return fleet.json(arguments.toArray(String[]::new)).path("retried").asInt();
  }

  @Test
  void a_paused_queue_says_so_until_it_is_resumed() {
    await(mails.add("a", 1));

    assertThat(fleet.runlane("jobs", "pause", "mails").out()).isEqualTo("Queue mails is paused\n");
    assertThat(fleet.json("jobs", "queues").path("data").get(0).path("paused").asBoolean())
        .isTrue();
    fleet.runlane("jobs", "pause", "mails", "--name", "a");
    fleet.runlane("jobs", "resume", "mails");

    assertThat(fleet.runlane("jobs", "queues").out()).contains("paused: a");
    assertThat(
            fleet.json("jobs", "queues").path("data").get(0).path("pausedNames").toString())
        .isEqualTo("[\"a\"]");
    assertThat(await(mails.getPausedJobNames())).containsExactly("a");
  }

  @Test
  void a_job_is_cancelled_and_stays_to_be_looked_at() {
    Job waiting = await(mails.add("a", 1));
    Job ended = await(mails.add("a", 2));
    await(ended.moveToFailed("no stamp"));

    Printed cancelled = fleet.runlane("jobs", "cancel", "mails", ended.id(), waiting.id());

    assertThat(cancelled.exitCode()).isEqualTo(1);
    assertThat(cancelled.out()).isEqualTo("1 job cancelled\n");
    assertThat(cancelled.err())
        .contains(ended.id())
        .contains("has ended, or was cancelled before")
        .hasLineCount(1);
    assertThat(await(mails.getJob(waiting.id())).orElseThrow().cancelledAt()).isPresent();
    assertThat(state(waiting)).isEqualTo(JobState.FAILED);
    assertThat(fleet.runlane("jobs", "cancel", "mails", "none").exitCode()).isEqualTo(4);
    assertThat(fleet.json("actions", "list").path("data").findValuesAsText("result"))
        .contains("cancelled", "unchanged");
  }

  @Test
  void dead_letters_are_redriven_as_many_as_are_wanted() {
    JobWorker worker = jobs.worker(
        "mails", (job, signal) -> Future.failedFuture(new IllegalStateException("no stamp")));
    JobOptions kept = JobOptions.builder().attempts(1).deadLetterQueue("dead").build();
    for (int i = 0; i < 3; i++) {
      await(mails.add("a", i, kept));
    }
    JobQueue dead = jobs.queue("dead");
    OperatedFleet.until(() -> await(dead.count(JobState.WAITING)) == 3);
    await(worker.close());

    await(dead.add("its own", 4));
    Printed unasked = fleet.runlane("jobs", "redrive", "dead");
    assertThat(unasked.exitCode()).isEqualTo(2);
    assertThat(unasked.err())
        .contains("--dry-run counts the jobs that it would be done to, and --yes does it");
    assertThat(fleet.runlane("jobs", "redrive", "dead", "--dry-run").out())
        .isEqualTo("3 would be redriven. Nothing was done: --yes does it.\n");
    assertThat(fleet
            .json("jobs", "redrive", "dead", "--limit", "2", "--dry-run")
            .path("matched")
            .asInt())
        .isEqualTo(2);
    assertThat(await(dead.count(JobState.WAITING))).isEqualTo(4);

    Printed some = fleet.runlane("jobs", "redrive", "dead", "--limit", "2", "--yes");

    assertThat(some.out()).isEqualTo("2 jobs redriven\n");
    assertThat(some.err()).contains("there may be more");
    assertThat(fleet.json("jobs", "redrive", "dead", "--yes").path("redriven").asInt())
        .isEqualTo(1);
    assertThat(await(dead.count(JobState.WAITING))).isEqualTo(1);
    assertThat(await(mails.count(JobState.WAITING))).isEqualTo(3);
    assertThat(fleet.runlane("jobs", "redrive", "dead", "--limit", "0").exitCode())
        .isEqualTo(2);
    assertThat(fleet.json("actions", "list").path("data").findValuesAsText("result"))
        .containsExactly("1 redriven", "2 redriven");
  }

  @Test
  void schedules_of_a_queue_are_listed_with_their_options_and_removed() throws Exception {
    JobRepeat nightly = JobRepeat.cron("0 2 * * *", ZoneId.of("Europe/Vienna"));
    JobOptions options =
        JobOptions.builder().attempts(3).deadLetterQueue("lost").build();
    await(mails.upsertSchedule("nightly", nightly, "report", Map.of("of", "sales"), options));
    JobRepeat once = nightly.withLimit(0);
    await(mails.upsertSchedule("once", once, "report", Map.of(), JobOptions.NONE));
    JobRepeat thrice = nightly.withLimit(2);
    await(mails.upsertSchedule("thrice", thrice, "report", Map.of(), JobOptions.NONE));

    assertThat(fleet.runlane("jobs", "schedules", "list", "mails").out())
        .containsPattern("KEY +JOB +REPEATS +LAST +NEXT +FIRED +OPTIONS")
        .contains("cron 0 2 * * * in Europe/Vienna", "attempts 3, deadLetterQueue lost")
        .contains("Vienna, once", "Vienna, 3 times at most");
    for (String limited : List.of("once", "thrice")) {
      await(mails.removeSchedule(limited));
    }
    String[] list = {"jobs", "schedules", "list", "mails", "--json"};
    assertThat(fleet.runlane(list).out())
        .contains("\"attempts\":3", "sales")
        .isEqualTo(overTheApi(list).out());
    assertThat(fleet.runlane("jobs", "schedules", "list", "others").err())
        .isEqualTo("The queue has no schedule.\n");

    Printed removed = fleet.runlane("jobs", "schedules", "remove", "mails", "nightly");
    assertThat(removed.out()).isEqualTo("Schedule nightly of queue mails is removed\n");
    assertThat(await(mails.getSchedules())).isEmpty();
    String[] again = {"jobs", "schedules", "remove", "mails", "nightly", "--reason", "x"};
    assertThat(fleet.runlane(again).exitCode()).isEqualTo(4);
    assertThat(overTheApi(again).exitCode()).isEqualTo(4);
    JsonNode actions = fleet.json("actions", "list").path("data");
    assertThat(actions.findValuesAsText("action")).containsOnly("job_schedule.remove");
    assertThat(actions.findValuesAsText("target")).containsOnly("mails/nightly");
  }

  private Printed overTheApi(String... command) {
    OperatorConsole console = OperatorConsole.create(
            fleet.vertx, fleet.worker, new ConsoleOptions().setPort(0))
        .withJobs(jobs);
    int port = await(console.start());
    try {
      return Printed.by(Map.of("RUNLANE_URL", "http://127.0.0.1:" + port), Terminal.NONE, command);
    } finally {
      await(console.close());
    }
  }

  @Test
  void what_is_done_to_jobs_is_recorded_with_who_and_why() {
    Job job = await(mails.add("welcome", "ada"));

    fleet.runlane("jobs", "remove", "mails", job.id(), "--reason", "sent by hand");
    fleet.runlane("jobs", "pause", "mails", "--name", "remind", "--actor", "eve");
    assertThat(fleet.runlane("jobs", "retry", "mails", "none").exitCode()).isEqualTo(4);

    JsonNode actions = fleet.json("actions", "list").path("data");
    assertThat(actions.findValuesAsText("action"))
        .containsExactly("job.retry", "job_queue.pause", "job.remove");
    assertThat(actions.findValuesAsText("target"))
        .containsExactly("mails/none", "mails/remind", "mails/" + job.id());
    assertThat(actions.findValuesAsText("result"))
        .satisfiesExactly(
            missing -> assertThat(missing).contains("has no job none"),
            paused -> assertThat(paused).isEqualTo("done"),
            removed -> assertThat(removed).isEqualTo("done"));
    assertThat(actions.get(2).path("reason").asText()).isEqualTo("sent by hand");
    assertThat(actions.get(1).path("actor").asText()).contains("eve");
    assertThat(actions.get(0).path("succeeded").asBoolean()).isFalse();
  }

  @Test
  void nothing_is_done_to_jobs_that_cannot_be_recorded() {
    Job job = await(mails.add("welcome", "ada"));
    fleet.sql("ALTER TABLE {schema}.operator_actions ADD CHECK (action NOT LIKE 'job%') NOT VALID");

    assertThat(fleet.runlane("jobs", "drain", "mails", "--yes").exitCode()).isEqualTo(1);

    assertThat(state(job)).isEqualTo(JobState.WAITING);
  }

  @Test
  void drain_asks_for_yes_and_removes_what_no_worker_has() {
    Job job = await(mails.add("a", 1));

    assertThat(fleet.runlane("jobs", "drain", "mails").exitCode()).isEqualTo(2);
    assertThat(state(job)).isEqualTo(JobState.WAITING);
    assertThat(fleet.runlane("jobs", "drain", "mails", "--yes").exitCode()).isZero();
    assertThat(await(mails.getJob(job.id()))).isEmpty();
  }
}
