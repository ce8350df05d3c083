package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.ConsoleFixture.Answered;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.memory.MemoryStorage;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lists of very many pages, each of which comes on a later turn. */
@Timeout(120)
@DisplayNameGeneration(ReplaceUnderscores.class)
class ManyPagesTest {
  private static final int PAGES = 20_000;
  private static final int AT_ONCE = 4; // actions on many runs
  private static final String BULK = "/api/v1/bulk-actions";
  private static final JsonObject RETRY = new JsonObject()
      .put("action", "retry")
      .put("reason", "the bank is open again")
      .put("filter", new JsonObject());

  private static ConsoleFixture console;

  @BeforeAll
  static void start() {
    console = new ConsoleFixture(
        vertx -> ConsoleFixture.lane(new ManyPages(vertx)), new ConsoleOptions(), Clock.system());
  }

  @AfterAll
  static void stop() {
    console.close();
  }

  @Test
  void actions_on_many_runs_end_behind_them_and_others_begin() {
    List<String> begun = new ArrayList<>();
    for (int action = 0; action < AT_ONCE; action++) {
      Answered answered = console.post(BULK, RETRY);
      assertThat(answered.status()).isEqualTo(202);
      begun.add(answered.json().getString("id"));
    }

    for (String id : begun) {
      assertThat(Poll.until(ConsoleFixture.LONGEST, () -> state(id).containsKey("endedAt")))
          .as("the end of %s", id)
          .isTrue();
      assertThat(state(id).getString("state")).isEqualTo("done");
      assertThat(state(id).getBoolean("hasLeft")).isFalse();
    }
    assertThat(console.post(BULK, RETRY).status()).isEqualTo(202);
  }

  private static JsonObject state(String id) {
    return console.get(BULK + "/" + id).json();
  }

  @Test
  void runs_behind_them_are_counted() {
    JsonObject counted = console.post(BULK, RETRY.copy().put("dryRun", true)).json();

    assertThat(counted.getInteger("count")).isZero();
    assertThat(counted.getBoolean("isCut")).isFalse();
  }

  @Test
  void a_history_of_them_is_downloaded_as_a_whole() {
    String id = console.trigger("echo", new JsonObject());
    console.ended(id);

    JsonObject history = console.get("/api/v1/runs/" + id + "/history").json();

    assertThat(history.getJsonArray("events")).hasSize(PAGES);
  }

  /** Answers pages without a run before those of a bounded time, and pages with one event each of a history. */
  private static final class ManyPages extends ForwardingStorageAdapter {
    private final Vertx vertx;

    ManyPages(Vertx vertx) {
      super(new MemoryStorage());
      this.vertx = vertx;
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      int page = number(query.cursor());
      return query.filter().createdBefore() == null
          ? super.listRuns(query)
          : later(() -> page + 1 < PAGES
              ? Future.succeededFuture(new Page<>(List.of(), String.valueOf(page + 1)))
              : super.listRuns(new ListRuns(
                  query.environment(), query.filter(), query.sort(), query.limit(), null)));
    }

    @Override
    public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
      int page = number(query.cursor());
      String next = page + 1 < PAGES ? String.valueOf(page + 1) : null;
      return query.filter().runId() == null || !query.filter().types().isEmpty()
          ? super.listRunEvents(query)
          : later(() -> super.listRunEvents(
                  new ListRunEvents(query.environment(), query.filter(), query.sort(), 1, null))
              .map(first -> new Page<>(first.data(), next)));
    }

    private static int number(String cursor) {
      return cursor == null ? 0 : Integer.parseInt(cursor);
    }

    private <T> Future<T> later(Supplier<Future<T>> answer) {
      Promise<T> later = Promise.promise();
      vertx.getOrCreateContext().runOnContext(turn -> answer.get().onComplete(later));
      return later.future();
    }
  }
}
