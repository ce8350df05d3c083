package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Media;
import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What people come to a console for, from the first page to the end. */
@Tag("slow")
@Tag("full")
@DisplayName("stories of the console, in Chromium")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConsoleStoriesTest {
  private static ConsoleBrowser browser;

  @BeforeAll
  static void startBrowser() throws IOException {
    browser = ConsoleBrowser.start();
  }

  @AfterAll
  static void closeBrowser() {
    if (browser != null) {
      browser.close();
    }
  }

  private static Page open(LiveShop shop) {
    browser.complaints(); // of the test before, where it failed
    return browser.open(shop.port, 1440, 900, ColorScheme.LIGHT);
  }

  @Test
  void payments_are_slow_why() {
    try (LiveShop shop = new LiveShop()) {
      LiveShop.Day day = shop.day();
      Page page = open(shop);
      browser.visit("/");
      String latency = page.locator("rl-chart:has(h3:text-is('Start latency')) .plot")
          .getAttribute("aria-label");
      assertThat(latency).contains("payments p99 from", "to 2 min 11 s");
      page.keyboard().press("g");
      page.keyboard().press("q");
      page.locator("main td a:has(bdi:text-is('payments'))").first().click();

      page.locator("tr:has-text('shop'):has-text('2 of 2')").waitFor();
      page.locator(".panel:has(h2:text-is('Waiting longest')) a:has-text('"
              + day.held().get(2) + "')")
          .click();
      page.locator(".notice:has-text('All 2 slots of its partition are taken')").waitFor();
      browser.closePage();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void one_order_hangs_why_and_get_it_on() {
    try (LiveShop shop = new LiveShop()) {
      LiveShop.Day day = shop.day();
      Page page = open(shop);
      browser.visit("/");
      find(page, day.held().get(2));
      String why = page.locator(".notice:has-text('slots of its partition')").innerText();
      assertThat(why).contains(day.held().get(0), day.held().get(1));
      find(page, day.held().get(0));
      page.locator("button:text-is('Cancel run …')").click();
      browser.confirm("the bank will never answer for this one");
      page.locator(".summary .badge.cancelled").waitFor();
      find(page, day.held().get(2));

      page.locator(".summary .badge.running").waitFor();
      browser.closePage();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_deployment_broke_a_task_find_its_failures_since_and_rerun_them() {
    try (LiveShop shop = new LiveShop()) {
      shop.day();
      Page page = open(shop);
      browser.visit("/runs");
      page.locator("input[name=failureText]").fill("answered 503");
      page.locator("button:text-is('Filter')").click();
      page.locator(".notice:has-text('Looked at all'):has-text('Found 2 runs')").waitFor();
      shop.supplierIsBack();
      browser.visit("/runs?task=" + LiveShop.IMPORT + "&status=failed");
      page.locator("select[name=since]").selectOption("60");
      page.waitForURL("**createdFrom=**");
      page.locator("a:text-is('Act on all of them …')").click();
      page.locator("button:text-is('Retry …')").click();
      page.locator("dialog:has-text('2 runs would be retried')").waitFor();
      browser.confirm("the supplier is back");
      page.locator("tr:has-text('the supplier is back'):has-text('done')").waitFor();
      browser.visit("/runs?task=" + LiveShop.IMPORT + "&status=succeeded");

      page.locator("tbody tr").nth(1).waitFor();
      page.locator("tbody tr a").first().click();
      page.locator("dt:text-is('Source') + dd:has-text('manual retry of')").waitFor();
      browser.closePage();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_connector_asks_its_owner() {
    try (LiveShop shop = LiveShop.withConnectors()) {
      Page page = open(shop);
      browser.visit("/connectors");
      page.locator("tr:has-text('The public library') button:has-text('Run now')")
          .click();
      page.locator("dialog input[name='stream/1']").uncheck();
      page.locator("dialog button.primary").click();
      page.locator("rl-question h2:has-text('a log-in')").waitFor();
      String run = page.url().substring(page.url().lastIndexOf('/') + 1);
      assertThat(page.locator("main").innerText()).doesNotContain("loans"); // was not in its scope
      browser.visit("/");
      page.locator("li:has-text('waits for your answer') a.mono").click();
      page.locator("rl-question .timer:has-text('14 min')").waitFor();
      browser.holdToAxe("a question");
      page.locator(".history details summary").first().click();
      String opened = page.locator(".history details[open]").getAttribute("id");
      page.locator("rl-question input[name='answer/card']").fill("0117");
      Locator pin = page.locator("rl-question input[name='answer/pin']");
      assertThat(pin.getAttribute("type")).isEqualTo("password");
      pin.fill(LiveConnectors.PASSWORD);
      page.locator("rl-question select").selectOption("\"north\"");
      page.locator("rl-question button.primary").click();

      page.locator("rl-question h2:has-text('a one-time code')").waitFor();
      assertThat(page.locator("tr:has-text('books'):has-text('Let in with the pin')")
              .count())
          .isEqualTo(1);
      page.locator("rl-question input[name='answer/code']").fill("482913");
      page.locator("rl-question button.primary").click();
      page.locator(".summary .badge.succeeded").waitFor();
      page.locator("rect[aria-label*='asks: Log in to the library']").waitFor();
      page.locator(".notice.good:has-text('2 records')").waitFor();
      assertThat(page.locator(".history details").first().getAttribute("id")).isNotEqualTo(opened);
      assertThat(page.locator(".history details[open]").getAttribute("id")).isEqualTo(opened);
      assertNowhere(page, shop, run, LiveConnectors.PASSWORD, "482913");
      page.locator(".summary a:has-text('The public library')").click();
      page.locator("td.mono:has-text('{\"page\":9007199254740993}')").waitFor();
      browser.closePage();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  /** Not on the page, not kept by the tab, not in what the console answers about the run or has recorded. */
  private static void assertNowhere(Page page, LiveShop shop, String run, String... secrets) {
    Object kept = page.evaluate(
        "async (run) => JSON.stringify([document.documentElement.outerHTML,"
            + " [...document.querySelectorAll('input')].map((each) => each.value), {...localStorage},"
            + " {...sessionStorage}, location.href, history.state, ...await Promise.all(["
            + "'/_ref/runs/' + run, '/_ref/runs/' + run + '/timeline', '/_ref/connectors/library',"
            + " '/_ref/runs', '/api/v1/actions'].map(async (path) => (await fetch(path)).text()))])",
        run);
    assertThat(String.valueOf(kept))
        .contains("run.interaction_completed", "Let in with the pin", "/interaction")
        .doesNotContain(secrets);
  }

  @Test
  void a_worker_died_at_night_what_happened_to_its_runs() throws Exception {
    String database = PostgresServers.shared().createDatabase("console_night").toUri();
    try (LiveShop shop = new LiveShop(vertx -> lane(vertx, database), new ConsoleOptions())) {
      Page page = open(shop);
      browser.visit("/workers");
      Process night = NightShift.start(database);
      String run = line(night);
      page.locator("tr:not(:has-text('payments')) button:has-text('1 of')").waitFor(patient());
      night.destroyForcibly().waitFor();

      page.locator(".badge:has-text('gone')").waitFor(patient());
      page.locator(".panel.bad:has-text('Left by')").waitFor(patient());
      browser.shot("/workers", "night");
      find(page, run);
      page.locator("rect[aria-label*='lost']").waitFor(patient());
      page.locator(".summary .badge.succeeded").waitFor(patient());
      browser.shot("/runs/night", "1440");
      zoomsWithoutAsking(page);
      printsAllOfIt(page);
      browser.closePage();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  private static void zoomsWithoutAsking(Page page) {
    List<String> asked = new ArrayList<>();
    page.onRequest(request -> asked.add(request.url()));
    page.locator("button[aria-label='Zoom in']").click();
    page.locator("button[aria-label='Later']").click();
    page.locator("button:text-is('All'):not([disabled])").click();
    page.locator("button[aria-label='Zoom out'][disabled]").waitFor();

    assertThat(asked).noneMatch(url -> url.contains("/api/v1/runs/"));
  }

  /** A post-mortem has the whole payload and timeline, and no buttons. */
  private static void printsAllOfIt(Page page) {
    page.emulateMedia(new Page.EmulateMediaOptions().setMedia(Media.PRINT));

    assertThat(page.locator("nav").isVisible()).isFalse();
    assertThat(page.locator(".buttons").first().isVisible()).isFalse();
    assertThat(page.evaluate("() => ['pre', '.timeline'].map((each) =>"
            + " getComputedStyle(document.querySelector(each)).maxHeight)"))
        .isEqualTo(List.of("none", "none"));
  }

  private static void find(Page page, String run) {
    page.locator("#rl-search").fill(run);
    page.keyboard().press("Enter");
    page.locator("h1:has-text('" + run + "')").waitFor();
    page.locator(".summary").waitFor();
  }

  /** A process is gone after 15 s without a sign of life, its leases end after 30. */
  private static Locator.WaitForOptions patient() {
    return new Locator.WaitForOptions().setTimeout(90_000);
  }

  private static String line(Process process) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith(NightShift.HOLDS)) {
        return line.substring(NightShift.HOLDS.length());
      }
    }
    throw new AssertionError("the process ended before it held a run");
  }

  static Lane lane(Vertx vertx, String database) {
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx, new PgStorageOptions().setConnectOptions(PgConnectOptions.fromUri(database)));
    return Lanes.create(storage, storage.notifyTransport());
  }

  /** A process that takes a run of the shop and never ends it. */
  static final class NightShift {
    static final String HOLDS = "holds ";

    private NightShift() {}

    static Process start(String database) throws IOException {
      return new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-cp",
              System.getProperty("java.class.path"),
              NightShift.class.getName(),
              database)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    }

    /** Prints the run that it holds. */
    public static void main(String[] arguments) {
      Vertx vertx = Vertx.vertx();
      LiveShop.nightly(vertx, lane(vertx, arguments[0]), run -> System.out.println(HOLDS + run));
    }
  }
}
