package dev.runlane.console;

import static dev.runlane.console.ConsoleFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.timing.Clock;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@Tag("full")
@DisplayName("the console over a database with a million runs, in Chromium")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ManyRunsTest {
  private static final long MOST_BYTES = 300L << 10;

  /** Rows of ended runs as lists read them; of their histories there are none. */
  private static final String MILLION = """
      INSERT INTO runlane.terminal_runs (env, run_id, task_id, queue, status, sequence, attempts, failures, retries, releases,
        created_at, updated_at, started_at, finished_at, concurrency_key, failure)
      SELECT e.env, 'run_filled_' || i, 'echo', 'mail', CASE WHEN i % 50 = 0 THEN 'failed' ELSE 'succeeded' END, 5, 1,
        0, 0, 0, t.at, t.at, t.at, t.at, 'key-' || i % 1000,
        CASE WHEN i % 50 = 0 THEN '{"code":"task_failed","message":"number ' || i || ' is broken","retryable":false}' END
      FROM generate_series(1, 1000000) i, (SELECT min(env) AS env FROM runlane.environments) e,
        LATERAL (SELECT now() - i * interval '0.6 seconds' AS at) t
      """;

  @Test
  void its_first_page_stays_small_and_every_list_is_there() throws IOException {
    PostgresAddress database = PostgresServers.shared().createDatabase("console_million");
    try (ConsoleBrowser browser = ConsoleBrowser.start();
        ConsoleFixture console = new ConsoleFixture(
            vertx -> ConsoleStoriesTest.lane(vertx, database.toUri()),
            new ConsoleOptions(),
            Clock.system())) {
      fill(console, database);
      Page page = browser.open(console.port, 1440, 900, ColorScheme.LIGHT);
      long usefulAfter = firstPage(browser, page);

      long bytes = ((Number) page.evaluate("performance.getEntriesByType('resource')"
              + ".concat(performance.getEntriesByType('navigation'))"
              + ".reduce((sum, each) => sum + each.transferSize, 0)"))
          .longValue();
      assertThat(bytes).isBetween(10_000L, MOST_BYTES);
      System.out.printf(
          "first page with 1 000 000 runs: %d KiB, useful after %s ms%n", bytes >> 10, usefulAfter);
      for (String view :
          List.of("/runs", "/runs?status=failed", "/failures", "/runs?concurrencyKey=key-7")) {
        browser.visit(view);
        page.locator("main tbody tr").first().waitFor();
      }
      browser.closePage();
      assertThat(browser.complaints()).isEmpty();
    }
  }

  /** Answers after how many milliseconds of the page's own clock it shows what it is for. */
  private static long firstPage(ConsoleBrowser browser, Page page) {
    page.addInitScript(
        "new MutationObserver(() => { if (!window.usefulAfter && document.querySelector('.tiles')) "
            + "window.usefulAfter = performance.now(); }).observe(document, { childList: true, subtree: true })");
    browser.visit("/");
    page.locator(".tiles").waitFor();
    return ((Number) page.evaluate("Math.round(window.usefulAfter)")).longValue();
  }

  /** Measures the first page ten times, each in a browser that keeps nothing, once a line comes. */
  public static void main(String[] arguments) throws IOException {
    PostgresAddress database = PostgresServers.shared().createDatabase("console_million");
    try (ConsoleBrowser browser = ConsoleBrowser.start();
        ConsoleFixture console = new ConsoleFixture(
            vertx -> ConsoleStoriesTest.lane(vertx, database.toUri()),
            new ConsoleOptions(),
            Clock.system())) {
      fill(console, database);
      System.out.println("ready");
      if (System.in.read() < 0) {
        return;
      }
      for (int turn = 0; turn < 10; turn++) {
        Page page = browser.open(console.port, 1440, 900, ColorScheme.LIGHT);
        System.out.println(
            "useful after " + firstPage(browser, page) + " ms; "
                + page.evaluate(
                    "performance.getEntriesByType('resource').map(each => each.name.replace(/.*:[0-9]+/, '').slice(0, 60)"
                        + " + ' ' + Math.round(each.startTime) + '–' + Math.round(each.responseEnd)).join('; ')"));
      }
      browser.closePage();
    }
  }

  private static void fill(ConsoleFixture console, PostgresAddress database) {
    PgConnection own =
        await(PgConnection.connect(console.vertx, PgConnectOptions.fromUri(database.toUri())));
    try {
      own.query(MILLION).execute().await(5, TimeUnit.MINUTES);
      own.query("ANALYZE runlane.terminal_runs").execute().await(1, TimeUnit.MINUTES);
    } catch (java.util.concurrent.TimeoutException late) {
      throw new AssertionError(late);
    }
    await(own.close());
  }
}
