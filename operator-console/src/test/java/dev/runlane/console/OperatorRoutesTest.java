package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.ConsoleFixture.Answered;
import dev.runlane.console.access.Role;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.depth.TakeSample;
import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.operator.throughput.AddThroughput;
import dev.runlane.operator.throughput.Latencies;
import dev.runlane.operator.throughput.ThroughputBucket;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.memory.MemoryTransport;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered.DeadLettered;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.Page;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.timing.Clock;
import dev.runlane.transport.PartitionLag;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OperatorRoutesTest {
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
  void minutes_are_added_up_over_steps_of_time() {
    Instant begin = Instant.parse("2026-06-01T12:00:00Z");
    OperatorStore store = console.runlane.lane().storage().operator().orElseThrow();
    for (int minute : List.of(0, 1, 7)) {
      ConsoleFixture.await(store.addThroughput(new AddThroughput(
          console.runlane.environment(),
          List.of(new ThroughputBucket(
              begin.plus(Duration.ofMinutes(minute)),
              "parcels",
              "pack",
              3,
              2,
              1,
              1,
              0,
              0,
              0,
              0,
              Latencies.of(Duration.ofMillis(minute == 0 ? 5 : 100)),
              Latencies.NONE,
              Latencies.NONE)))));
    }
    String of = "/api/v1/throughput/series?queue=parcels&until=2026-06-01T12:10:00Z"
        + "&from=2026-06-01T12:01:00Z&stepMinutes=5&by=task";

    JsonObject series = console.get(of).json();
    JsonObject group = series.getJsonArray("groups").getJsonObject(0);
    JsonObject first = group.getJsonArray("points").getJsonObject(0);

    assertThat(series.getString("from")).isEqualTo("2026-06-01T12:00:00Z"); // a whole step
    assertThat(series.getBoolean("isCut")).isFalse();
    assertThat(group.getString("name")).isEqualTo("pack");
    assertThat(group.getJsonArray("points")).hasSize(2);
    assertThat(first.getString("at")).isEqualTo("2026-06-01T12:00:00Z");
    assertThat(first.getInteger("succeeded")).isEqualTo(2);
    assertThat(first.getJsonObject("waited").getInteger("p99Millis")).isEqualTo(128);
    assertThat(first.getJsonObject("attempt").fieldNames()).containsExactly("count");
    assertThat(console.get(of.replace("by=task", "by=all")).status()).isEqualTo(400);
    for (String range : List.of(
        "from=0001-01-01T00:00:00Z",
        "until=0001-01-01T00:00:00Z",
        "until=9999-01-01T00:00:00Z",
        "from=2999-01-01T00:00:00Z")) {
      assertThat(console.get("/api/v1/throughput/series?queue=none&" + range).status())
          .as(range)
          .isEqualTo(200);
    }
  }

  @Test
  void steps_that_wait_for_workers_are_shown_of_a_run_of_a_group_and_by_group() {
    String run = console.trigger("prints", new JsonObject().put("secret", "in the input"));
    String ofRun = "/api/v1/steps?runId=" + run;
    JsonArray steps;
    do {
      steps = console.get(ofRun).json().getJsonArray("data");
    } while (!steps.encode().contains("dispatchedAt"));
    String other = console.trigger("prints", new JsonObject()); // whose step is asked for behind it
    while (console
        .get("/api/v1/steps?runId=" + other)
        .json()
        .getJsonArray("data")
        .isEmpty()) {
      Thread.onSpinWait();
    }
    JsonObject step = steps.getJsonObject(0);
    String group = step.getString("group");
    JsonObject first = console.get("/api/v1/steps?limit=1&group=" + group).json();

    assertThat(steps).hasSize(1);
    assertThat(step.getString("id")).isEqualTo(run + ":0");
    assertThat(step.getString("runId")).isEqualTo(run);
    assertThat(step.getString("name")).isEqualTo("invoice:print");
    assertThat(step.getInteger("attempt")).isEqualTo(1);
    assertThat(step.getBoolean("runEnded")).isFalse();
    assertThat(Instant.parse(step.getString("deadline")))
        .isAfter(Instant.parse(step.getString("requestedAt")));
    assertThat(step.encode()).doesNotContain("in the input");
    assertThat(first.getJsonArray("data")).hasSize(1);
    assertThat(console
            .get(
                "/api/v1/steps?limit=1&group=" + group + "&cursor=" + first.getString("nextCursor"))
            .json()
            .getJsonArray("data")
            .getJsonObject(0)
            .getString("runId"))
        .isEqualTo(other);
    assertThat(console.get("/api/v1/steps?group=nobody").json().getJsonArray("data"))
        .isEmpty();
    assertThat(console.get(ofRun + "&format=csv").text())
        .startsWith("id,runId,name,group,attempt,requestedAt,dispatchedAt,nextAt,deadline,runEnded")
        .contains("\"%1$s:0\",\"%1$s\",\"invoice:print\",\"%2$s\",1,".formatted(run, group));
    JsonObject groups = console.get("/api/v1/step-groups").json();
    JsonObject counted = groups.getJsonArray("data").getJsonObject(0);
    assertThat(groups.containsKey("isCut")).isFalse();
    assertThat(counted.getString("group")).isEqualTo(group);
    assertThat(counted.getInteger("waiting")).isEqualTo(2);
    assertThat(counted.getInteger("mostAttempts")).isEqualTo(1);
    assertThat(counted.getString("oldestRequestedAt")).isEqualTo(step.getString("requestedAt"));
  }

  @Test
  void minutes_of_throughput_are_listed_by_queue_and_task_with_their_latencies() {
    Instant minute = Instant.parse("2026-05-01T12:00:00Z");
    OperatorStore store = console.runlane.lane().storage().operator().orElseThrow();
    for (String task : List.of("mails", "bills")) {
      ConsoleFixture.await(store.addThroughput(new AddThroughput(
          console.runlane.environment(),
          List.of(new ThroughputBucket(
              minute,
              "letters",
              task,
              3,
              2,
              1,
              1,
              0,
              0,
              0,
              0,
              Latencies.of(Duration.ofMillis(5)),
              Latencies.NONE,
              Latencies.NONE)))));
    }
    String of =
        "/api/v1/throughput?queue=letters&from=2026-05-01T12:00:00Z&until=2026-05-01T12:01:00Z";

    JsonObject first = console.get(of + "&limit=1").json();
    JsonObject listed = first.getJsonArray("data").getJsonObject(0);

    assertThat(listed.getString("taskId")).isEqualTo("bills");
    assertThat(listed.getInteger("triggered")).isEqualTo(3);
    assertThat(listed.getJsonObject("waited").getInteger("p99Millis")).isEqualTo(8);
    assertThat(
            console.get(of + "&limit=1&cursor=" + first.getString("nextCursor")).text())
        .contains("mails");
    assertThat(console.get(of + "&task=mails").text()).doesNotContain("bills");
    assertThat(console.get("/api/v1/throughput?queue=letters").text()).isEqualTo("{\"data\":[]}");
  }

  @Test
  void keys_whose_slots_are_all_taken_while_runs_wait_are_told() {
    try (ConsoleFixture own =
        new ConsoleFixture(new ConsoleOptions())) { // in which nothing was counted
      for (String order : List.of("first", "second")) {
        ConsoleFixture.await(own.runlane.triggerJson(
            "gated",
            new JsonObject().put("order", order).encode(),
            new TriggerOptions()
                .setQueue(TaskQueue.of("bounded").concurrencyLimit(1))
                .setConcurrencyKey("shop-7")));
      }
      JsonArray full;
      do {
        OperatorStore store = own.runlane.lane().storage().operator().orElseThrow();
        ConsoleFixture.await(store.takeSample(
            new TakeSample(own.runlane.environment(), Instant.now(), Duration.ofMillis(1))));
        full = own.get("/api/v1/full-partitions").json().getJsonArray("data");
      } while (full.isEmpty() || full.getJsonObject(0).getInteger("waiting") != 1);

      assertThat(full).hasSize(1);
      assertThat(full.getJsonObject(0))
          .isEqualTo(new JsonObject()
              .put("queue", "bounded")
              .put("concurrencyKey", "shop-7")
              .put("concurrencyLimit", 1)
              .put("occupied", 1)
              .put("waiting", 1));
      assertThat(own.get("/api/v1/queues/bounded/occupied").json().getInteger("concurrencyLimit"))
          .isEqualTo(1);
      own.gate.complete();
    }
  }

  @Test
  void the_lag_of_topics_is_told_by_partition_with_those_that_nobody_consumes_any_more() {
    Instant now = Instant.now();
    consumer("living", now, new PartitionLag("mails-v1", "runlane", 0, "mails", 12));
    consumer("gone", now.minusSeconds(60), new PartitionLag("mails-v1", "runlane", 1, "mails", 30));

    JsonArray topics = console.get("/api/v1/topic-lags").json().getJsonArray("data");

    assertThat(topics).hasSize(1);
    JsonObject topic = topics.getJsonObject(0);
    assertThat(topic.getString("topic")).isEqualTo("mails-v1");
    assertThat(topic.getString("group")).isEqualTo("runlane");
    assertThat(topic.getLong("records")).isEqualTo(42);
    JsonArray partitions = topic.getJsonArray("partitions");
    assertThat(partitions.getJsonObject(0).getString("processId")).isEqualTo("living");
    assertThat(partitions.getJsonObject(0).getBoolean("isLeft")).isFalse();
    assertThat(partitions.getJsonObject(1).getLong("records")).isEqualTo(30);
    assertThat(partitions.getJsonObject(1).getBoolean("isLeft")).isTrue();
    JsonObject process = console.get("/api/v1/processes").json().getJsonArray("data").stream()
        .map(JsonObject.class::cast)
        .filter(each -> each.getString("id").equals("living"))
        .findFirst()
        .orElseThrow();
    assertThat(process.getJsonArray("lags").getJsonObject(0).getInteger("records"))
        .isEqualTo(12);
    OperatorStore store = console.runlane.lane().storage().operator().orElseThrow();
    Stream.of("living", "gone")
        .forEach(id -> ConsoleFixture.await(
            store.endProcess(new EndProcess(console.runlane.environment(), id))));
  }

  private static void consumer(String id, Instant now, PartitionLag lag) {
    RuntimeProcess process = new RuntimeProcess(
        id,
        "machine",
        "",
        List.of(),
        List.of("mails"),
        List.of(),
        List.of(),
        1,
        0,
        Duration.ofSeconds(30),
        now,
        List.of(lag));
    ConsoleFixture.await(console
        .runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .signOfLife(new SignOfLife(console.runlane.environment(), process, now)));
  }

  @Test
  void of_processes_with_very_many_names_a_page_ends_sooner_and_a_row_has_as_many_as_are_wanted() {
    Instant now = Instant.now();
    List<String> names = IntStream.range(0, 4_000)
        .mapToObj(number -> "a-queue-of-one-of-our-very-many-tenants-" + (10_000 + number))
        .toList();
    OperatorStore store = console.runlane.lane().storage().operator().orElseThrow();
    List<String> ids =
        IntStream.range(0, 40).mapToObj(number -> "tenants-" + number).toList();
    ids.forEach(id -> ConsoleFixture.await(store.signOfLife(new SignOfLife(
        console.runlane.environment(),
        new RuntimeProcess(
            id,
            "machine",
            "",
            List.of(),
            names,
            names.subList(0, 3_000),
            List.of("w"),
            1,
            0,
            Duration.ofSeconds(30),
            now),
        now))));

    List<String> found = new ArrayList<>();
    int pages = 0;
    for (String cursor = ""; cursor != null; pages++) {
      Answered answer = console.get("/api/v1/processes?limit=200" + cursor);
      assertThat(answer.text().length()).isLessThan(9 << 20);
      answer
          .json()
          .getJsonArray("data")
          .forEach(each -> found.add(((JsonObject) each).getString("id")));
      String next = answer.json().getString("nextCursor");
      cursor = next == null ? null : "&cursor=" + next;
    }
    assertThat(pages).isGreaterThan(1);
    assertThat(found).doesNotHaveDuplicates().containsAll(ids);

    JsonObject brief = console.get("/api/v1/processes?limit=200&names=2").json();
    assertThat(brief.getString("nextCursor")).isNull();
    JsonObject row = brief.getJsonArray("data").stream()
        .map(JsonObject.class::cast)
        .filter(each -> each.getString("id").equals("tenants-1"))
        .findFirst()
        .orElseThrow();
    assertThat(row.getJsonArray("queues")).containsExactly(names.get(0), names.get(1));
    assertThat(row.getInteger("queueCount")).isEqualTo(4_000);
    assertThat(row.getInteger("taskCount")).isEqualTo(3_000);
    assertThat(row.getInteger("workerCount")).isEqualTo(1);

    JsonObject all = console.get("/api/v1/process-names").json();
    assertThat(all.getJsonArray("queues")).containsAll(names).doesNotHaveDuplicates();
    assertThat(all.getJsonArray("tasks"))
        .contains(names.get(2_999))
        .doesNotContain(names.get(3_000));
    assertThat(all.getBoolean("isCut")).isFalse();
    ids.forEach(id ->
        ConsoleFixture.await(store.endProcess(new EndProcess(console.runlane.environment(), id))));
  }

  @Test
  void a_process_tells_what_it_is_and_which_leases_it_holds() {
    String id = console.trigger("gated", new JsonObject());
    JsonArray processes;
    do {
      processes = console.get("/api/v1/processes").json().getJsonArray("data");
    } while (processes.isEmpty());

    JsonObject process = processes.getJsonObject(0);
    assertThat(process.getBoolean("isGone")).isFalse();
    assertThat(process.getJsonArray("tasks")).contains("gated");
    String leases = "/api/v1/processes/" + process.getString("id") + "/leases";
    assertThat(Poll.until(
            ConsoleFixture.LONGEST, () -> console.get(leases).json().getJsonArray("data").stream()
                .anyMatch(each -> ((JsonObject) each).getString("runId").equals(id))))
        .isTrue();
    assertThat(console.get("/api/v1/processes?format=csv").text()).startsWith("id,host");
    assertThat(console.get("/api/v1/processes/none/leases").json().getJsonArray("data"))
        .isEmpty();
    console.post("/api/v1/runs/" + id + "/cancel", reason("enough"));
  }

  @Test
  void a_queue_is_paused_with_a_reason_and_resumed() {
    String id = null;
    JsonObject first =
        console.post("/api/v1/queues/mail/pause", reason("a flood")).json();
    JsonObject again =
        console.post("/api/v1/queues/mail/pause", reason("once more")).json();
    try {
      JsonObject paused =
          console.get("/api/v1/paused-queues").json().getJsonArray("data").getJsonObject(0);

      assertThat(first.getBoolean("changed")).isTrue();
      assertThat(again.getBoolean("changed")).isFalse();
      assertThat(paused.getString("queue")).isEqualTo("mail");
      assertThat(paused.getString("reason")).isEqualTo("a flood");
      assertThat(paused.getJsonObject("actor").getString("id")).isEqualTo("local");
      id = console.trigger("echo", new JsonObject());
      assertThat(console.get("/api/v1/runs/" + id).json().getString("status")).isEqualTo("queued");
    } finally {
      console.post("/api/v1/queues/mail/resume", reason("mended"));
    }
    assertThat(console.ended(id).getString("status")).isEqualTo("succeeded");
    assertThat(console.get("/api/v1/paused-queues").json().getJsonArray("data")).isEmpty();
    assertThat(
            console
                .get("/api/v1/actions?limit=200&target=mail")
                .json()
                .getJsonArray("data")
                .stream()
                .map(action -> (JsonObject) action)
                .filter(action -> action.getString("action").equals("queue.pause"))
                .map(action -> action.getString("reason") + ": " + action.getString("result")))
        .containsExactly("once more: was paused already", "a flood: paused");
  }

  @Test
  void the_actions_are_paged_and_told_as_csv() {
    for (int i = 0; i < 3; i++) {
      console.post("/api/v1/queues/other/resume", reason("=1+" + i));
    }
    Answered page = console.get("/api/v1/actions?limit=2");
    String cursor = page.json().getString("nextCursor");

    assertThat(page.json().getJsonArray("data")).hasSize(2);
    assertThat(console.get("/api/v1/actions?limit=2&cursor=" + cursor).status()).isEqualTo(200);
    assertThat(console.get("/api/v1/actions?format=csv").text())
        .startsWith("id,actor.type")
        .contains("\"'=1+1\"");
  }

  @Test
  void the_actions_are_found_by_who_did_what_to_what_and_when() {
    console.post("/api/v1/queues/sought/pause", reason("first"));
    console.post("/api/v1/queues/sought/resume", reason("second"));
    JsonArray both = actions("target=sought");
    JsonObject resumed = both.getJsonObject(0);
    String actor = resumed.getJsonObject("actor").getString("id");
    String at = resumed.getString("at");

    assertThat(both).hasSize(2);
    assertThat(actions("target=sought&action=queue.pause&actor=" + actor))
        .containsExactly(both.getJsonObject(1));
    assertThat(actions("target=sought&actor=nobody")).isEmpty();
    assertThat(actions("target=sought&from=" + at)).containsExactly(resumed);
    assertThat(actions("target=sought&until=" + at)).containsExactly(both.getJsonObject(1));
    Answered first = console.get("/api/v1/actions?target=sought&limit=1");
    String cursor = "&limit=1&cursor=" + first.json().getString("nextCursor");
    assertThat(actions("target=sought" + cursor)).containsExactly(both.getJsonObject(1));
    assertThat(console.get("/api/v1/actions?target=mail" + cursor).status()).isEqualTo(400);
    assertThat(console.get("/api/v1/actions?from=yesterday").status()).isEqualTo(400);
  }

  private JsonArray actions(String query) {
    return console.get("/api/v1/actions?" + query).json().getJsonArray("data");
  }

  @Test
  void dead_letters_are_counted_by_a_dry_run_and_published_again() {
    String message = deadLetter();
    Answered listed = console.get("/api/v1/outbox");
    JsonObject dry = console
        .post("/api/v1/outbox/redrive", reason("the broker is back").put("dryRun", true))
        .json();
    JsonObject named = console
        .post(
            "/api/v1/outbox/redrive",
            reason("x")
                .put("dryRun", true)
                .put("messageIds", new JsonArray().add(message).add("no")))
        .json();

    assertThat(listed.text()).contains(message, "no such topic");
    assertThat(console.get("/api/v1/outbox?format=csv").text()).contains(message);
    assertThat(dry.getJsonArray("messageIds")).containsExactly(message);
    assertThat(named.getJsonArray("messageIds")).containsExactly(message);
    assertThat(console.get("/api/v1/outbox").text()).contains(message);
    JsonObject done =
        console.post("/api/v1/outbox/redrive", reason("the broker is back")).json();
    assertThat(done.getInteger("count")).isEqualTo(1);
    assertThat(console.get("/api/v1/outbox").json().getJsonArray("data")).isEmpty();
  }

  @Test
  void a_dry_run_of_named_messages_looks_no_further_than_the_last_of_them() {
    Function<Vertx, Lane> lane = vertx -> Lanes.create(
        new EndlessOutbox(),
        new MemoryTransport(),
        new LaneOptions().setName("endless").setOperatorReads(true).setProductionDurable(false));
    try (ConsoleFixture other = new ConsoleFixture(lane, new ConsoleOptions(), Clock.system())) {
      JsonArray named = new JsonArray().add("msg_2").add("msg_3").add("msg_4");

      Answered dry = other.post(
          "/api/v1/outbox/redrive", reason("x").put("dryRun", true).put("messageIds", named));

      assertThat(dry.status()).isEqualTo(200);
      assertThat(dry.json().getJsonArray("messageIds")).containsExactly("msg_2", "msg_4");
    }
  }

  @Test
  void depths_are_left_out_until_they_were_counted() {
    Answered depths = console.get("/api/v1/depths");

    assertThat(depths.status()).isEqualTo(200);
    if (depths.json().containsKey("sample")) {
      assertThat(depths.json().getJsonObject("sample").getJsonObject("outbox").getInteger("failed"))
          .isZero();
    }
  }

  @Test
  void lines_of_handlers_are_told_and_masked() {
    String token = "viewer-0123456789-0123456789-0123456789";
    ConsoleOptions options = new ConsoleOptions()
        .setMaskedPaths(List.of("$.fields.iban"))
        .setTokens(List.of(new dev.runlane.console.access.TokenOptions()
            .setName("ann")
            .setRole(Role.VIEWER)
            .setToken(token)));
    String id = console.trigger("echo", new JsonObject());
    console.ended(id);
    String path = "/api/v1/runs/" + id + "/log";
    JsonArray lines;
    do {
      lines = console.get(path).json().getJsonArray("data");
    } while (lines.isEmpty());

    assertThat(lines.getJsonObject(0).getString("text")).isEqualTo("echoes");
    assertThat(lines.getJsonObject(0).getJsonObject("fields").getString("iban")).isEqualTo("DE99");
    OperatorConsole masked =
        OperatorConsole.create(console.vertx, console.runlane, options.setPort(0));
    int port = ConsoleFixture.await(masked.start());
    for (String format : new String[] {"json", "csv"}) {
      assertThat(console.rawAt(
              port,
              "GET " + path + "?format=" + format
                  + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token
                  + "\r\nConnection: close\r\n\r\n"))
          .contains("echoes", "[masked]")
          .doesNotContain("DE99");
    }
    ConsoleFixture.await(masked.close());
  }

  private static String deadLetter() {
    console.post(
        "/api/v1/tasks/echo/trigger",
        new JsonObject().put("payload", new JsonObject()).put("delay", "1h"));
    StorageAdapter storage = console.runlane.lane().storage();
    Instant later = Instant.now().plus(Duration.ofDays(1));
    ClaimedOutboxMessage claimed = ConsoleFixture.await(
            storage.claimOutboxMessages(new ClaimOutboxMessages(
                console.runlane.environment(), later, Duration.ofMinutes(1), 1, null)))
        .get(0);
    ConsoleFixture.await(storage.markOutboxMessagesDeadLettered(new MarkOutboxMessagesDeadLettered(
        console.runlane.environment(),
        List.of(new DeadLettered(
            claimed.id(),
            claimed.claimToken(),
            new FailureRecord(ErrorCode.TRANSPORT_UNAVAILABLE, "no such topic", false, null))),
        later)));
    return claimed.id();
  }

  private static JsonObject reason(String why) {
    return new JsonObject().put("reason", why);
  }

  /** A storage whose first page of given-up messages ends behind those that are asked for, and that tells no second. */
  private static final class EndlessOutbox extends ForwardingStorageAdapter {
    EndlessOutbox() {
      super(new MemoryStorage());
    }

    @Override
    public Optional<OperatorStore> operator() {
      return super.operator().map(store -> new ForwardingOperatorStore(store) {
        @Override
        public Future<Page<OutboxEntry>> listOutbox(ListOutbox query) {
          if (query.cursor() != null) {
            return Future.failedFuture(new IllegalStateException("the outbox is walked"));
          }
          String id = query.status() == OutboxMessageStatus.DEAD_LETTERED ? "msg_2" : "msg_4";
          return Future.succeededFuture(
              new Page<>(List.of(entry(id, query), entry("msg_5", query)), "more"));
        }
      });
    }

    private static OutboxEntry entry(String id, ListOutbox query) {
      return new OutboxEntry(id, "run_1", "mail", query.status(), Instant.EPOCH, null, 3, null);
    }
  }
}
