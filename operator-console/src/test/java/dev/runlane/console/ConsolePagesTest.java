package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Json;
import dev.runlane.storage.schedule.RegisterSchedules;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("the pages of the console, in Chromium")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ConsolePagesTest {
  private static final String MARKUP =
      "<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egnp.exe";

  /** Some 9 000 changes: an hour of a system that makes a run each second or so. */
  private static final int ROUNDS_OF_CHANGES = 15;

  /** Tables that are wider than their place, by their heads. */
  private static final String CUT_TABLES =
      "[...document.querySelectorAll('main .scroll')].filter(each => each.scrollWidth > each.clientWidth + 1)"
          + ".map(each => each.getAttribute('aria-label') + ': ' + each.scrollWidth + ' in ' + each.clientWidth)";

  /** Has the page ask anew, as it will in some seconds. */
  private static final String RELOAD =
      "() => { document.querySelector('#rl-page').firstElementChild.reload(); }";

  private static final String TOKEN = "a-viewers-token-of-enough-characters";

  private static ConsoleBrowser browser;

  private ConsoleFixture console;
  private Page page;

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

  @BeforeEach
  void start() {
    console = new ConsoleFixture(new ConsoleOptions());
    page = browser.open(console.port, 1440, 900, ColorScheme.LIGHT);
  }

  @AfterEach
  void close() {
    browser.closePage();
    console.close();
  }

  @Test
  void shows_every_view_without_a_complaint_of_the_browser_or_of_axe() {
    try (LiveShop shop = LiveShop.withConnectors()) {
      LiveShop.Day day = shop.day();
      walk(shop, views(shop, day), ColorScheme.LIGHT);
      page.setViewportSize(390, 844);
      for (String view : List.of("/", "/runs", "/runs/" + day.shipped())) {
        browser.visit(view);
        assertSays(view);
      }
      page.setViewportSize(720, 450); // a screen of 1440 at 200 %
      browser.visit("/runs");
      assertThat((List<?>) page.evaluate(CUT_TABLES)).isEmpty();
      page.setViewportSize(1440, 900);
      browser.visit("/tasks");
      page.evaluate(
          "() => document.querySelectorAll('main td a bdi').forEach(name => {"
              + " name.textContent = 'reports-of-all-regions-and-currencies-by-month-and-by-customer'; })");
      assertThat((List<?>) page.evaluate(CUT_TABLES)).as("long names").isEmpty();
      page.setViewportSize(1280, 800);
      browser.picture("/", "overview");
      browser.picture("/runs/" + day.shipped(), "run");
      browser.closePage();
    }

    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void shows_every_view_in_the_dark_too() {
    try (LiveShop shop = LiveShop.withConnectors()) {
      walk(shop, views(shop, shop.day()), ColorScheme.DARK);
      browser.closePage();
    }

    assertThat(browser.complaints()).isEmpty();
  }

  private void walk(LiveShop shop, List<String> views, ColorScheme theme) {
    page = browser.open(shop.port, 1440, 900, theme);
    browser.visit("/");
    for (String view : views) {
      shop.consumers();
      if (view.contains("?")) {
        browser.visit(view);
      } else {
        browser.follow(view);
      }
      assertSays(view);
      browser.holdToAxe(view + " of " + theme);
      browser.shot(view, theme == ColorScheme.DARK ? "dark" : "1440");
    }
  }

  /** A reader sees more of the page than its heading. */
  private void assertSays(String view) {
    String heading = page.locator("main h1").innerText();
    assertThat(page.locator("main").innerText().replace(heading, "").strip())
        .as("what %s shows below its heading", view)
        .isNotEmpty();
  }

  /** Every page, with something on it. */
  private static List<String> views(LiveShop shop, LiveShop.Day day) {
    LiveConnectors.Day connected = shop.connectors.day();
    String asks = shop.connectors.asking();
    return List.of(
        "/",
        "/runs",
        "/runs?status=failed",
        "/runs?task=nothing",
        "/runs?failureText=503",
        "/runs/" + day.shipped(),
        "/runs/" + day.failed(),
        "/runs/" + day.held().get(0),
        "/runs/" + day.mailed(),
        "/failures",
        "/tasks",
        "/tasks/" + LiveShop.CHARGE,
        "/tasks/" + LiveShop.IMPORT,
        "/queues",
        "/queues/payments",
        "/schedules",
        "/workers",
        "/outbox",
        "/alerts",
        "/jobs",
        "/jobs/thumbnails",
        "/jobs/albums/" + shop.album(),
        "/connectors",
        "/connectors/" + LiveConnectors.GAPS,
        "/connectors/" + LiveConnectors.GAPS + "/" + connected.gaps(),
        "/connectors/" + LiveConnectors.FAILS + "/" + connected.failed(),
        "/connectors/" + LiveConnectors.LONG + "/" + connected.goesOn(),
        "/connectors/" + LiveConnectors.ASKS + "/" + asks,
        "/actions",
        "/bulk?status=failed");
  }

  @Test
  @Tag("full")
  void fits_a_tablet_and_a_phone_in_both_themes() {
    try (LiveShop shop = LiveShop.withConnectors()) {
      LiveShop.Day day = shop.day();
      List<String> views = views(shop, day);
      for (ColorScheme theme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
        for (int width : List.of(1024, 390)) {
          page = browser.open(shop.port, width, 844, theme);
          for (String view : views) {
            shop.consumers();
            browser.visit(view);
            assertSays(view);
            browser.shot(view, width + (theme == ColorScheme.DARK ? "-dark" : ""));
            assertThat(page.evaluate("document.documentElement.scrollWidth"))
                .as("%s at %d px", view, width)
                .isEqualTo(width);
            assertThat((List<?>) page.evaluate(CUT_TABLES))
                .as("%s at %d px", view, width)
                .isEmpty();
          }
          dialogs(day, width + (theme == ColorScheme.DARK ? "-dark" : ""));
        }
      }
      browser.closePage();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void a_list_of_runs_fits_a_tablet_whatever_their_status_and_however_long_they_take() {
    run(console.post(
        "/api/v1/tasks/gated/trigger",
        new JsonObject()
            .put("payload", new JsonObject())
            .put("concurrencyKey", "customer-Ada")
            .put("tags", new JsonObject().put("customer", "Ada").put("region", "eu"))));
    page = browser.open(console.port, 1024, 844, ColorScheme.LIGHT);
    for (String age : List.of("PT59S", "PT1M12S", "PT12M34S", "PT12H34M", "P9DT23H")) {
      for (String status : List.of("running", "succeeded", "cancellation_requested")) {
        page.route("**/api/v1/runs?*", route -> {
          APIResponse runs = route.fetch();
          JsonObject answer = new JsonObject(runs.text());
          String begun = Instant.now().minus(Duration.parse(age)).toString();
          answer.getJsonArray("data").forEach(each -> ((JsonObject) each)
              .put("status", status)
              .put("taskId", LiveShop.CHARGE)
              .put("queue", "payments")
              .put("createdAt", begun)
              .put("startedAt", begun));
          route.fulfill(new Route.FulfillOptions().setResponse(runs).setBody(answer.encode()));
        });
        browser.visit("/runs");
        assertThat((List<?>) page.evaluate(CUT_TABLES))
            .as("%s for %s", status, age)
            .isEmpty();
        page.unrouteAll();
      }
    }
    assertThat(browser.complaints()).isEmpty();
  }

  /** What asks before it acts, and what helps, as it stands open. */
  private void dialogs(LiveShop.Day day, String kind) {
    Map.of(
            "/runs/" + day.failed(),
            "Run again with another payload …",
            "/alerts",
            "New rule …",
            "/connectors/" + LiveConnectors.GAPS,
            "Run now …",
            "/queues/payments",
            "Pause …")
        .forEach((view, button) -> {
          browser.visit(view);
          page.locator("main button:text-is('" + button + "')").first().click();
          page.locator("dialog[open]").waitFor();
          browser.shot(view + "-dialog", kind);
          page.keyboard().press("Escape");
        });
    page.keyboard().press("?");
    page.locator("dialog[open]").waitFor();
    browser.shot("/help", kind);
  }

  @Test
  @Tag("full")
  void finds_a_failed_run_and_retries_it_by_keyboard_alone() {
    String failed = console.trigger("fails", new JsonObject());
    console.ended(failed);
    browser.visit("/");
    page.keyboard().press("g");
    page.keyboard().press("r");
    page.waitForURL("**/runs");
    page.keyboard().press("/");
    page.keyboard().type(failed);
    page.keyboard().press("Enter");
    page.waitForURL("**/runs/" + failed);
    page.locator("text=Task failed").first().waitFor();
    browser.tabTo("Retry …");
    page.keyboard().press("Enter");
    page.locator("dialog textarea").waitFor();
    page.keyboard().type("the bank is open again");
    page.keyboard().press("Tab");
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");
    page.waitForURL(url -> url.contains("/runs/") && !url.endsWith(failed));

    page.locator(".facts a bdi:text-is('" + failed + "')").waitFor();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void pauses_and_resumes_a_queue_by_keyboard_alone() {
    browser.visit("/queues");
    browser.tabTo("Pause …");
    page.keyboard().press("Enter");
    page.keyboard().type("the bank is closed");
    page.keyboard().press("Tab");
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");
    page.locator("text=the bank is closed").waitFor();
    browser.tabTo("Resume …");
    page.keyboard().press("Enter");
    page.keyboard().type("it is open");
    page.keyboard().press("Tab");
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");
    page.locator("button:text-is('Resume …')").waitFor(ConsoleBrowser.gone());

    page.keyboard().press("g");
    page.keyboard().press("a");
    page.locator("td bdi:text-is('resume queue')").waitFor();
    page.keyboard().press("?");
    page.locator("dialog input[type=checkbox]").uncheck();
    page.keyboard().press("Escape");
    page.keyboard().press("p");
    page.keyboard().press("g");
    page.keyboard().press("r");
    assertThat(page.locator("h1").innerText()).isEqualTo("Action log");
    assertThat(page.locator("button.live").innerText()).isEqualTo("Pause");
    page.locator("nav button:has-text('Keys')").click();
    page.locator("dialog input[type=checkbox]").check();
    page.keyboard().press("Escape");
    page.keyboard().press("p");
    page.locator("button.live:has-text('Go on')").waitFor();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void triggers_a_run_by_the_form_of_its_task_and_cancels_it_by_keyboard_alone() {
    browser.visit("/tasks/gated");
    browser.tabTo("Trigger");
    page.keyboard().press("Enter");
    page.locator(".badge:has-text('running')").waitFor();
    browser.tabTo("Cancel run …");
    page.keyboard().press("Enter");
    page.locator("dialog textarea").waitFor();
    page.keyboard().type("made by mistake");
    page.keyboard().press("Tab");
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");

    page.locator("summary:has-text('cancellation requested')").waitFor();
    page.locator("summary:has-text('made by mistake')").first().waitFor();
    page.waitForFunction("() => document.activeElement.localName === 'h1'");
    assertThat(page.locator("button:text-is('Cancel run …')").count()).isZero();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void triggers_a_run_of_a_task_of_another_process_by_the_schema_that_it_told() {
    ConsoleFixture.await(console
        .runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .publishTasks(new PublishTasks(
            console.runlane.environment(),
            "elsewhere",
            Instant.parse("2026-01-01T00:00:00Z"),
            List.of(new RuntimeTask(
                "foreign",
                "mail",
                true,
                "com.example.Foreign",
                Json.ofChecked("{\"type\":\"object\",\"required\":[\"name\"],"
                    + "\"properties\":{\"name\":{\"type\":\"string\"}}}"),
                List.of(TaskKey.SINGLETON),
                new TriggerRules(null, false, List.of("customer", "region")))),
            Instant.now())));
    browser.visit("/tasks");
    page.locator("tr:has-text('foreign'):has-text('elsewhere') a").first().click();
    page.locator("input[name='payload/name']").fill("Ada");
    page.locator("button:text-is('Trigger')").click();
    assertThat(page.locator("input[name=singletonKey]:invalid").count())
        .as("its key is needed")
        .isEqualTo(1);
    page.locator("input[name=singletonKey]").fill("ada");
    page.locator("input[name='tag/customer']").fill("anna");
    assertThat(page.locator("input[name='tag/region']:invalid").count())
        .as("its tag is needed")
        .isEqualTo(1);
    page.locator("input[name=withoutTags]").check();
    page.locator("textarea[name=tags]").fill("source:by hand");
    page.locator("button:text-is('Trigger')").click();

    page.locator("dt:text-is('Singleton key') + dd:has-text('ada')").waitFor();
    page.locator(".summary .badge.queued").waitFor();
    page.locator(".tag:has-text('customer:anna')").waitFor();
    page.locator(".tag:has-text('source:by hand')").waitFor();
    browser.holdToAxe("a run of another process");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void retries_all_runs_of_a_filter_after_counting_them() {
    for (int number = 0; number < 3; number++) {
      console.ended(console.trigger("fails", new JsonObject().put("number", number)));
    }
    browser.visit("/runs?task=fails&status=failed");
    page.locator("text=Act on all of them").click();
    page.locator("button:text-is('Retry …')").click();
    page.locator("dialog:has-text('3 runs would be retried')").waitFor();
    page.locator("dialog textarea").fill("the deployment was mended");
    page.locator("dialog button.primary").click();

    page.locator("tr:has-text('the deployment was mended'):has-text('done')").waitFor();
    page.locator("button:text-is('Retry …')").click();
    page.locator("dialog textarea").fill("once more");
    page.locator("dialog button.primary").click();
    page.locator("tr:has-text('once more'):has-text('3 passed over')").waitFor();
    page.setViewportSize(390, 844);
    browser.visit("/bulk?status=failed&task=" + "reports-of-all-regions.".repeat(4));
    assertThat((List<?>) page.evaluate(
            "[...document.querySelectorAll('.badge')].filter(each => each.scrollWidth > each.clientWidth + 1"
                + " || each.getBoundingClientRect().right > 378).map(each => each.innerText)"))
        .as("what is cut of the filter")
        .isEmpty();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void offers_no_action_on_all_runs_of_a_filter_that_actions_do_not_have() {
    console.ended(run(console.post(
        "/api/v1/tasks/fails/trigger",
        new JsonObject()
            .put("payload", new JsonObject())
            .put("idempotencyKey", "order-7")
            .put("singletonKey", "customer-7")
            .put("concurrencyKey", "customer-7"))));

    for (String key : List.of("idempotencyKey=order-7", "singletonKey=customer-7")) {
      browser.visit("/runs?" + key);
      assertThat(page.locator("main tbody tr").count()).as(key).isEqualTo(1);
      assertThat(page.locator("text=Act on all of them").count()).as(key).isZero();
    }
    browser.visit("/runs?concurrencyKey=customer-7&errorCode=task_failed");
    page.locator("text=Act on all of them").click();
    page.locator(".badge:has-text('error code task_failed')").waitFor();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void shows_a_schedule_whose_zone_is_an_offset() {
    register(
        Instant.now(),
        new RegisterSchedules.Definition("echo", "yearly", "cron 0 0 1 1 * in Z"),
        new RegisterSchedules.Definition("echo", "daily", "cron 0 0 * * * in +02:00:30"));

    for (String view : List.of("/schedules", "/tasks/echo")) {
      browser.visit(view);
      page.locator("main h2:has-text('yearly')").waitFor();
      page.locator("main h2:has-text('daily')").waitFor();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  private void register(Instant at, RegisterSchedules.Definition... schedules) {
    ConsoleFixture.await(console
        .runlane
        .lane()
        .storage()
        .schedules()
        .orElseThrow()
        .registerSchedules(new RegisterSchedules(
            console.runlane.environment(), List.of(schedules), at, Duration.ofHours(1))));
  }

  @Test
  @Tag("full")
  void tells_of_a_schedule_that_all_schedulers_missed_and_not_of_one_that_left_the_program() {
    Instant hourAgo = Instant.now().minus(Duration.ofHours(1));
    register(hourAgo, new RegisterSchedules.Definition("echo", "often", "every PT1M"));
    register(
        hourAgo.minus(Duration.ofDays(1)),
        new RegisterSchedules.Definition("echo", "removed", "every PT1M"));

    browser.visit("/schedules");
    page.locator(".panel:has(h2:has-text('often')) .badge:has-text('late')").waitFor();
    page.locator(".panel:has(h2:has-text('removed')) .badge:has-text('not registered any more')")
        .waitFor();
    browser.visit("/");
    page.locator(".notice li:has-text('often'):has-text('should have fired')").waitFor();
    assertThat(page.locator(".notice").innerText()).doesNotContain("removed");
    assertThat(page.locator("[role=status]").innerText())
        .as("what is read aloud, which no passing minute changes")
        .matches("\\d+ things? to look at");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void tells_on_the_overview_which_job_queues_and_names_of_jobs_are_paused() {
    for (String queue : List.of("halted", "held")) {
      ConsoleFixture.await(console.jobs.queue(queue).add("invoice", Map.of()));
    }
    JsonObject why = new JsonObject().put("reason", "a flood");
    console.post("/api/v1/job-queues/halted/pause", why);
    console.post("/api/v1/job-queues/held/pause", why.copy().put("name", "invoice"));

    browser.visit("/");
    page.locator(".notice li:has-text('Job queue halted is paused')").waitFor();
    page.locator(".notice li:has-text('Jobs of the name invoice in job queue held are paused')")
        .waitFor();

    for (String queue : List.of("halted", "held")) {
      JsonObject resumed = queue.equals("held") ? why.copy().put("name", "invoice") : why;
      console.post("/api/v1/job-queues/" + queue + "/resume", resumed);
    }
    page.evaluate(RELOAD);
    page.locator(".notice li:has-text('are paused')").waitFor(ConsoleBrowser.gone());
    assertThat(browser.complaints()).isEmpty();
    page.route("**/api/v1/job-queues", Route::abort);
    page.evaluate(RELOAD);
    page.locator(".notice li:has-text('Job queues could not be read')").waitFor();
    assertThat(page.locator(".tiles").count()).as("the rest of the overview").isEqualTo(1);
    page.route("**/api/v1/depths", Route::abort);
    page.evaluate(RELOAD);
    page.locator("[role=alert]:has-text('could not be read') ~ p:has-text('was read')")
        .waitFor();
    assertThat(browser.complaints()).allMatch(each -> each.contains("ERR_FAILED"));
  }

  @Test
  @Tag("full")
  void tells_of_an_answer_that_it_cannot_show_and_asks_again() {
    page.route(
        "**/api/v1/actions*",
        route -> route.fulfill(new Route.FulfillOptions().setBody("{\"data\": [null]}")));
    browser.visit("/actions");
    page.locator("[role=alert]").waitFor();
    page.unrouteAll();

    page.locator("[role=alert]").waitFor(ConsoleBrowser.gone());
    page.locator("main .empty").waitFor();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void shows_hostile_content_as_text() {
    String run = run(console.post(
        "/api/v1/tasks/echo/trigger",
        new JsonObject()
            .put("payload", new JsonObject().put(MARKUP, MARKUP + "y".repeat((1 << 20) - 1_000)))
            .put("concurrencyKey", MARKUP)));
    console.ended(run);
    for (String view : List.of("/runs", "/runs/" + run)) {
      browser.visit(view);
      assertThat(page.locator("main").innerText())
          .contains("<img src=x onerror=alert(1)>", "⟨U+202E⟩")
          .doesNotContain("\u202E");
      assertThat(page.locator("main img").count()).isZero();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void shows_hostile_content_as_text_in_every_field_that_others_fill() {
    String tagged = run(console.post(
        "/api/v1/tasks/fails/trigger",
        new JsonObject()
            .put("payload", new JsonObject())
            .put("tags", new JsonObject().put("who", MARKUP))
            .put("idempotencyKey", MARKUP)
            .put("singletonKey", MARKUP)
            .put("reason", MARKUP)));
    console.ended(tagged);
    JsonObject reason = new JsonObject().put("reason", MARKUP);
    String again = console
        .post("/api/v1/runs/" + tagged + "/rerun", reason)
        .json()
        .getJsonObject("run")
        .getString("id");
    console.ended(again);
    console.post("/api/v1/queues/bounded/pause", reason);
    console.send(
        "PUT",
        "/api/v1/saved-filters/hostile",
        new JsonObject()
            .put("view", "runs")
            .put("title", MARKUP)
            .put("query", "status=failed")
            .toString(),
        Map.of("content-type", "application/json"));
    ConsoleFixture.await(console.jobs.queue("hostile").add(MARKUP, Map.of(MARKUP, MARKUP)));
    for (String view : List.of(
        "/",
        "/runs",
        "/runs?tag=" + URLEncoder.encode("who:" + MARKUP, StandardCharsets.UTF_8),
        "/runs/" + tagged,
        "/runs/" + again,
        "/queues",
        "/jobs/hostile",
        "/actions")) {
      browser.visit(view);
      assertThat(page.locator("body").innerText())
          .as(view)
          .contains("<img src=x onerror=alert(1)>", "⟨U+202E⟩")
          .doesNotContain("\u202E");
      assertThat(page.locator("main img, main script").count()).as(view).isZero();
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void stays_usable_with_as_many_steps_as_a_run_may_have_and_hostile_names() {
    int steps = ContractDefaults.MAX_STEPS;
    String run = run(console.post(
        "/api/v1/tasks/steps/trigger",
        new JsonObject().put("payload", new JsonObject().put("steps", steps).put("name", MARKUP))));
    ConsoleFixture.await(console.runlane.awaitRun(run, ConsoleFixture.LONGEST));
    browser.visit("/runs/" + run);

    page.locator(".timeline .names span").nth(50).waitFor();
    assertThat(page.locator(".timeline .names").innerText())
        .contains("⟨U+202E⟩")
        .doesNotContain("\u202E");
    page.locator("button:text-is('Run again with another payload …')").click();
    page.locator("dialog textarea[name=payload]").fill("{\"steps\": 1}");
    page.locator("dialog .difference .new").waitFor();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_payload_that_is_edited_keeps_what_was_not_touched() {
    String payload =
        "{\"big\":12345678901234567890,\"price\":1.50,\"name\":\"a\\u200db\\u202ec\",\"note\":\"old\"}";
    String stored = run(console.send(
        "POST",
        "/api/v1/tasks/echo/trigger",
        "{\"payload\":" + payload + "}",
        Map.of("content-type", "application/json")));
    console.ended(stored);
    browser.visit("/runs/" + stored);
    page.locator("button:text-is('Run again with another payload …')").click();
    Locator field = page.locator("dialog textarea[name=payload]");
    field.waitFor();
    assertThat(field.inputValue()).contains("\\u200d", "\\u202e", "1.50");
    field.fill(field.inputValue().replace("old", "new"));
    page.locator("dialog .difference .new").waitFor();
    page.locator("dialog textarea[name=reason]").fill("the note was wrong");
    page.locator("dialog h2").click(); // which takes the focus out of the fields
    page.evaluate(
        "document.activeElement.blur()"); // as browsers do that do not give it to the dialog
    page.keyboard().type("gr");
    assertThat(page.locator("dialog textarea").count()).isEqualTo(2);
    logsInAgain(() -> page.locator("dialog button.primary").click());
    page.locator("dialog:not(.again) button.primary").click();
    page.waitForURL(url -> url.contains("/runs/") && !url.endsWith(stored));

    String made = page.url().substring(page.url().lastIndexOf('/') + 1);
    assertThat(console.get("/api/v1/runs/" + made).text())
        .contains("\"payload\":{\"big\":12345678901234567890,\"price\":1.50,"
            + "\"name\":\"a\u200db\u202ec\",\"note\":\"new\"}");
    assertThat(browser.complaints()).allMatch(each -> each.contains("401"));
  }

  /** As where a log-in has ended by the time of this, and another tab has the next one. */
  private void logsInAgain(Runnable action) {
    page.route("**/api/v1/**", route -> route.fulfill(new Route.FulfillOptions().setStatus(401)));
    action.run();
    page.locator("dialog.again h1:has-text('has ended')").waitFor();
    page.keyboard().press("Escape");
    page.keyboard().press("Escape");
    browser.holdToAxe("a log-in that has ended");
    page.unrouteAll();
    page.evaluate("window.dispatchEvent(new Event('focus'))");
    page.locator("dialog.again").waitFor(ConsoleBrowser.gone());
  }

  @Test
  @Tag("full")
  void a_run_and_a_job_show_large_numbers_as_they_are_stored() {
    String run = run(console.send(
        "POST",
        "/api/v1/tasks/echo/trigger",
        "{\"payload\":{\"big\":9007199254740993,\"price\":1.50}}",
        Map.of("content-type", "application/json")));
    console.ended(run);
    browser.visit("/runs/" + run);
    assertThat(page.locator("pre[aria-label=Payload]").innerText())
        .contains("\"big\": 9007199254740993", "\"price\": 1.50");
    assertThat(page.locator("pre[aria-label=Output]").innerText()).isNotEmpty();
    page.locator(".history details").first().locator("summary").click();
    assertThat(page.locator(".history details[open] pre").innerText())
        .contains("\"type\": \"run.created\"");

    String job = ConsoleFixture.await(
            console.jobs.queue("big").add("count", Map.of("big", 9007199254740993L)))
        .id();
    for (int line = 0; line < 250; line++) {
      ConsoleFixture.await(console.jobs.store().appendLog("big", job, "line " + line));
    }
    browser.visit("/jobs/big/" + job);
    page.locator(".history .line bdi:text-is('line 249')").waitFor();
    assertThat(page.locator("pre[aria-label=Payload]").innerText())
        .contains("\"big\": 9007199254740993");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_number_of_a_trigger_is_stored_as_it_was_typed() {
    browser.visit("/tasks/numbered");
    Locator number = page.locator("input[name='payload/number']");
    Locator json = page.locator("textarea[name=payload]");
    number.fill("9007199254740993");
    page.locator("button:text-is('As JSON')").click();
    assertThat(json.inputValue()).isEqualTo("{\n  \"number\": 9007199254740993\n}");
    page.locator("button:text-is('With fields')").click();
    page.locator("[role=alert]:has-text('what the fields cannot show')").waitFor();
    json.fill("{\"number\": 7, \"price\": 0.5}");
    page.locator("button:text-is('With fields')").click();
    assertThat(number.inputValue()).isEqualTo("7");
    number.fill("9007199254740993");
    page.locator("input[name='payload/price']").fill("12345678901234567.25");
    page.locator("button:text-is('Trigger')").click();
    page.waitForURL("**/runs/run_*");
    String first = page.url().substring(page.url().lastIndexOf('/') + 1);
    browser.visit("/tasks/echo");
    page.locator("textarea[name=payload]").fill("{\"big\": 12345678901234567890}");
    page.locator("button:text-is('Trigger')").click();
    page.waitForURL("**/runs/run_*");
    String second = page.url().substring(page.url().lastIndexOf('/') + 1);

    assertThat(console.get("/api/v1/runs/" + first).text())
        .contains("\"payload\":{\"number\":9007199254740993,\"price\":12345678901234567.25}");
    assertThat(console.get("/api/v1/runs/" + second).text())
        .contains("\"payload\":{\"big\":12345678901234567890}");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void a_trigger_that_is_clicked_twice_or_sent_again_makes_one_run() {
    browser.visit("/tasks/recovers");
    page.locator("button:text-is('Trigger')").dblclick();
    page.waitForURL("**/runs/run_*");
    assertThat(runsOf("recovers")).isEqualTo(1);

    browser.visit("/tasks/prints");
    page.route(
        "**/tasks/prints/trigger",
        route -> {
          route.fetch();
          route.abort();
        },
        new Page.RouteOptions().setTimes(1));
    page.locator("button:text-is('Trigger')").click();
    page.locator("[role=alert]:has-text('The console does not answer')").waitFor();
    page.locator("button:text-is('Trigger')").click();
    page.waitForURL("**/runs/run_*");
    page.locator("main .summary a:has-text('prints')").waitFor();
    assertThat(runsOf("prints")).isEqualTo(1);
    assertThat(browser.complaints()) // of the answer that was lost
        .allMatch(each -> each.contains("ERR_FAILED") || each.contains("409"));
  }

  private int runsOf(String task) {
    return console.get("/api/v1/runs?task=" + task).json().getJsonArray("data").size();
  }

  @Test
  @Tag("full")
  void a_button_whose_request_fails_says_so() {
    String run = console.trigger("echo", new JsonObject());
    console.ended(run);
    browser.visit("/runs/" + run);
    page.route("**/history", Route::abort);
    page.locator("button:text-is('History as JSON')").click();
    page.locator("[role=alert]:has-text('The console does not answer')").waitFor();
    page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }");
    page.locator("button:text-is('Copy id')").click();
    page.locator("button:text-is('Could not be copied')").waitFor();
    browser.visit("/runs");
    page.locator("main tbody tr").first().waitFor();
    page.route("**/api/v1/runs?status=failed*", Route::abort);
    page.locator("button.chip.failed").click();
    page.locator("[role=alert]:has-text('The console does not answer')").waitFor();
    assertThat(page.locator("main tbody tr").count())
        .as("rows of the filter before")
        .isZero();
    assertThat(page.locator("#rl-filter input[name=tag]").count())
        .as("the filter, to put it right")
        .isEqualTo(1);

    assertThat(browser.complaints()).allMatch(each -> each.contains("ERR_FAILED"));
  }

  @Test
  @Tag("full")
  void a_filter_keeps_what_nobody_has_touched() {
    browser.visit("/runs?tag=city%3AParis%2C+France&tag=size%3As&queue=mail");
    page.locator("#rl-filter input[name=task]").fill("echo");
    page.locator("#rl-filter button:text-is('Filter')").click();
    page.waitForURL("**task=echo**");
    assertThat(page.url()).contains("tag=city%3AParis%2C+France&tag=size%3As", "queue=mail");

    page.locator("#rl-filter input[name=tag]").fill("city=Paris, size:m");
    page.locator("#rl-filter button:text-is('Filter')").click();
    page.waitForURL("**tag=city%3AParis&tag=size%3Am**");

    browser.visit("/runs?queue=mail&sort=updatedAt");
    assertThat(page.locator("#rl-filter select[name=order]").inputValue())
        .isEqualTo("updatedAt desc");
    page.locator("#rl-filter button:text-is('Filter')").click();
    page.waitForURL("**sort=updatedAt&direction=desc**");
    page.locator("#rl-filter select[name=order]").selectOption("createdAt desc");
    page.waitForURL(url -> !url.contains("sort") && !url.contains("direction"));
    page.route("**/run-counts*", route -> {
      APIResponse counts = route.fetch();
      route.fulfill(new Route.FulfillOptions()
          .setResponse(counts)
          .setBody(counts.text().replace("\"isCut\":false", "\"isCut\":true")));
    });
    browser.visit("/runs?concurrencyKey=all");
    page.locator("text=Counted among the latest runs of this filter alone").waitFor();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void a_filter_is_applied_at_once_after_a_time_was_not_given() {
    browser.visit("/runs?queue=mail");
    page.locator("#rl-filter select[name=since]").selectOption("between");
    page.locator("#rl-filter input[name=from]").waitFor();
    page.locator("#rl-filter button:text-is('Filter')").click();
    page.locator("#rl-filter input[name=from]").waitFor(ConsoleBrowser.gone());
    page.locator("#rl-filter input[name=task]").fill("echo");
    page.locator("#rl-filter button:text-is('Filter')").click();

    page.waitForURL("**task=echo**");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void a_list_goes_on_renewing_itself_once_its_filter_is_applied_by_a_click() {
    browser.visit("/runs");
    page.locator("#rl-filter input[name=task]").fill("echo");
    page.locator("#rl-filter button:text-is('Filter')").click();
    page.waitForURL("**task=echo**");
    page.locator("main .empty").waitFor();

    String run = console.trigger("echo", new JsonObject());

    page.locator("main tbody a:has-text('" + run + "')").waitFor();
    assertThat(page.evaluate("document.activeElement.textContent")).isEqualTo("Filter");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void a_filter_shows_what_the_address_has_once_it_is_cleared() {
    browser.visit("/runs?queue=mail&sort=updatedAt&direction=desc");
    Locator task = page.locator("#rl-filter input[name=task]");
    Locator order = page.locator("#rl-filter select[name=order]");
    task.fill("never applied");
    page.locator("#rl-filter select[name=since]").selectOption("between");
    page.locator("#rl-filter input[name=from]").waitFor();

    page.locator("#rl-filter a:text-is('Clear')").click();
    page.waitForURL("**/runs");
    page.waitForFunction(
        "() => document.querySelector('#rl-filter input[name=queue]').value === ''");
    assertThat(task.inputValue()).isEmpty();
    assertThat(page.locator("#rl-filter select[name=since]").inputValue()).isEmpty();
    assertThat(page.locator("#rl-filter input[name=from]").count()).isZero();
    assertThat(order.inputValue()).isEqualTo("createdAt desc");

    order.selectOption("createdAt asc");
    page.waitForURL("**direction=asc**");
    page.goBack();
    page.waitForFunction(
        "() => document.querySelector('#rl-filter select[name=order]').value === 'createdAt desc'");
    page.goForward();
    page.waitForFunction(
        "() => document.querySelector('#rl-filter select[name=order]').value === 'createdAt asc'");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void says_that_it_cannot_draw_where_what_draws_is_not_to_be_had() {
    page.route("**/throughput/series*", route -> {
      APIResponse series = route.fetch();
      route.fulfill(new Route.FulfillOptions()
          .setResponse(series)
          .setBody(series
              .text()
              .replace("\"groups\":[]", "\"groups\":[{\"name\":\"mail\",\"points\":[]}]")));
    });
    page.route("**/vendor/uplot.js", Route::abort);
    page.navigate(browser.url("/tasks/echo"));

    page.locator("rl-chart:has-text('could not be read')").first().waitFor();
    assertThat(browser.complaints()).allMatch(each -> each.contains("ERR_FAILED"));
  }

  @Test
  @Tag("full")
  void a_question_goes_with_its_page_and_stays_while_it_is_carried_out() {
    String run = console.trigger("echo", new JsonObject());
    console.ended(run);
    browser.visit("/runs");
    page.locator("main tbody a:has-text('" + run + "')").click();
    page.locator("button:text-is('Run again …')").dblclick();
    page.locator("dialog h2:has-text('" + run + "')").waitFor();
    page.goBack();
    page.locator("h1:text-is('Runs')").waitFor();
    page.locator("dialog").waitFor(ConsoleBrowser.gone());

    page.goForward();
    page.locator("button:text-is('Run again …')").click();
    AtomicReference<Route> held = new AtomicReference<>();
    page.route("**/rerun", held::set);
    page.locator("dialog textarea").fill("once more");
    page.locator("dialog button.primary").click();
    page.waitForCondition(() -> held.get() != null);
    page.keyboard().press("Escape");
    page.keyboard().press("Escape");
    page.locator("dialog button:text-is('Working …')").waitFor();
    held.get().resume();
    page.waitForURL(url -> url.contains("/runs/") && !url.endsWith(run));
    assertThat(page.locator("dialog").count()).isZero();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void makes_a_rule_silences_it_and_removes_it() {
    browser.visit("/alerts");
    page.locator("button:text-is('New rule …')").click();
    page.locator("dialog input[name=id]").fill("payments late");
    page.locator("dialog select[name=kind]").selectOption("oldest_due");
    page.locator("dialog input[name=threshold]").fill("60");
    page.locator("dialog input[name=queue]").fill("bounded");
    browser.confirm("nobody looked at night");
    page.locator("tr:has-text('payments late'):has-text('has waited 1 min'):has-text('bounded')")
        .waitFor();
    page.locator("button:text-is('Silence …')").click();
    browser.confirm("we know");
    page.locator("tr .badge:text-is('silent')").waitFor();
    browser.holdToAxe("alerts");
    page.locator("button:text-is('Remove …')").click();
    browser.confirm("it was an example");

    page.locator("text=There is no rule.").waitFor();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void retries_the_failed_jobs_of_the_name_that_is_listed_after_counting_them() {
    JobQueue mails = console.jobs.queue("mails");
    for (String name : List.of("welcome", "welcome", "reminder")) {
      Job job = ConsoleFixture.await(mails.add(name, Map.of()));
      ConsoleFixture.await(job.moveToFailed("no stamp"));
    }
    browser.visit("/jobs/mails?name=WELC&state=failed");
    page.locator("button:text-is('Retry failed of this name …')").click();
    page.locator("dialog:has-text('2 failed jobs whose name contains “WELC”')").waitFor();
    page.locator("dialog button:text-is('Retry 2 jobs')").waitFor();
    browser.confirm("stamps have come");
    page.locator("text=No job is like this.").waitFor();

    assertThat(failedJobs(mails)).isEqualTo(1);
    browser.visit("/jobs/mails");
    page.locator("button:text-is('Retry all failed …')").click();
    page.locator("dialog button:text-is('Retry 1 job')").waitFor();
    browser.confirm("all have");
    page.locator("button:text-is('Retry all failed …')").waitFor(ConsoleBrowser.gone());
    assertThat(failedJobs(mails)).isZero();
    assertThat(browser.complaints()).isEmpty();
  }

  private static long failedJobs(JobQueue queue) {
    return ConsoleFixture.await(queue.count(FailedJobsFilter.ALL));
  }

  @Test
  void lists_failed_runs_of_a_tag_by_their_code() {
    for (String customer : List.of("acme", "initech")) {
      console.ended(run(console.post(
          "/api/v1/tasks/fails/trigger",
          new JsonObject()
              .put("payload", new JsonObject())
              .put("tags", new JsonObject().put("customer", customer)))));
    }

    browser.visit("/queues");
    page.locator("#rl-search").fill("customer:acme");
    page.keyboard().press("Enter");
    page.waitForURL("**/runs?tag=customer%3Aacme");
    browser.visit("/runs?tag=customer%3Aacme&errorCode=task_failed");

    page.locator("text=Looked at all 1 run of this filter").waitFor();
    assertThat(page.locator("main tbody tr").count()).isEqualTo(1);
    assertThat(page.locator("main tbody").innerText()).contains("acme");
    page.locator("#rl-filter input[name=task]").fill("fails");
    page.locator("button.chip.failed").click();
    page.waitForURL("**status=failed**task=fails**");
    page.locator("text=Looked at all 1 run").waitFor();
    page.setViewportSize(1440, 300);
    Object scrolled = page.evaluate(
        "() => { scrollTo(0, document.documentElement.scrollHeight); return scrollY; }");
    page.locator("main tbody a.mono").click();
    page.locator("main .summary").waitFor();
    assertThat(page.evaluate("scrollY")).isEqualTo(0).isNotEqualTo(scrolled);
    page.goBack();
    page.waitForFunction(
        "y => scrollY === y && document.querySelector('main tbody a.mono')", scrolled);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void lifts_the_pause_of_a_name_of_jobs_and_removes_a_schedule() {
    JobQueue mails = console.jobs.queue("mails");
    ConsoleFixture.await(mails.add("welcome", Map.of()));
    ConsoleFixture.await(mails.upsertSchedule(
        "nightly",
        JobRepeat.cron("0 2 * * *"),
        "report",
        Map.of(),
        JobOptions.builder().attempts(3).deadLetterQueue("lost").build()));
    browser.visit("/jobs/mails");
    page.locator("button:text-is('Pause …')").click();
    page.locator("dialog input[name=name]").fill("welcome");
    browser.confirm("it greets twice");
    page.locator(".badge:has-text('welcome paused')").waitFor();
    browser.holdToAxe("a job queue");
    page.locator("button:has-text('Resume welcome …')").click();
    browser.confirm("mended");
    page.locator(".badge:has-text('welcome paused')").waitFor(ConsoleBrowser.gone());
    page.locator("td:has-text('attempts 3, dead letter queue lost')").waitFor();
    page.locator("button:text-is('Remove …')").click();
    browser.confirm("nobody wants it");
    page.locator("h2:text-is('Schedules')").waitFor(ConsoleBrowser.gone());

    assertThat(ConsoleFixture.await(mails.getPausedJobNames())).isEmpty();
    assertThat(ConsoleFixture.await(mails.getSchedules())).isEmpty();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void keeps_a_filter_of_runs_for_everybody() {
    browser.visit("/runs?status=failed&task=fails");
    page.locator("button:text-is('☆ Keep this filter …')").click();
    page.locator("dialog input[name=name]").fill("what broke");
    page.locator("dialog button.primary").click();
    page.locator(".chip:has-text('★ what broke')").waitFor();
    browser.visit("/runs");
    page.locator(".chip:has-text('★ what broke')").click();
    page.waitForURL("**/runs?status=failed&task=fails");
    page.locator("button:text-is('Forget it …')").click();
    browser.confirm("it is mended");

    page.locator("button:text-is('☆ Keep this filter …')").waitFor();
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void who_has_moved_on_before_an_answer_stays_where_they_are() {
    browser.visit("/queues");
    page.locator("nav a:has-text('Schedules')").click();
    page.locator("button:text-is('Fire now …')").first().click();
    AtomicReference<Route> held = new AtomicReference<>();
    page.route("**/fire", held::set);
    page.locator("dialog textarea[name=reason]").fill("by hand");
    page.locator("dialog .buttons button:not(.quiet)").click();
    page.locator("dialog button:text-is('Working …')").waitFor();
    page.waitForCondition(() -> held.get() != null);
    page.evaluate("history.back()");
    page.locator("h1:text-is('Queues')").waitFor();
    page.evaluate("() => { const { close } = HTMLDialogElement.prototype;"
        + " HTMLDialogElement.prototype.close = function () {"
        + " close.call(this); setTimeout(() => { window.isAnswerDealtWith = true; }); }; }");

    page.waitForResponse("**/fire", () -> held.get().resume());
    page.waitForFunction("() => window.isAnswerDealtWith === true"); // behind where it would lead

    assertThat(page.url()).endsWith("/queues");
    assertThat(page.locator("h1").innerText()).isEqualTo("Queues");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void a_search_that_takes_long_leads_nowhere_once_somebody_has_gone_on() {
    String run = console.trigger("echo", new JsonObject());
    console.ended(run);
    AtomicReference<Route> held = new AtomicReference<>();
    page.route("**/runs/slow/events*", held::set);
    Locator field = page.locator("#rl-search");

    browser.visit("/");
    search(field, "slow", held);
    field.fill(run);
    page.keyboard().press("Enter");
    page.waitForURL("**/runs/" + run);
    answer(held);
    search(field, "slow", held);
    page.locator("nav a:has-text('Queues')").click();
    page.locator("h1:text-is('Queues')").waitFor();
    answer(held);

    assertThat(page.url()).endsWith("/queues");
    assertThat(page.locator("h1").innerText()).isEqualTo("Queues");
    assertThat(browser.complaints()).isEmpty();
  }

  private void search(Locator field, String wanted, AtomicReference<Route> held) {
    held.set(null);
    field.fill(wanted);
    page.keyboard().press("Enter");
    page.waitForCondition(() -> held.get() != null);
  }

  /** Lets it come, and all that is asked for behind it. */
  private void answer(AtomicReference<Route> held) {
    page.waitForResponse("**/runs?singletonKey=slow*", () -> held.get().resume());
    page.evaluate("() => new Promise(resolve => setTimeout(resolve))");
  }

  @Test
  void finds_what_is_typed_and_leads_to_what_is_chosen_by_keys() {
    String run = console.trigger("echo", new JsonObject());
    Job job = ConsoleFixture.await(console.jobs.queue(MARKUP).add("welcome", Map.of()));
    ConsoleFixture.await(console.jobs.queue("img").add("welcome", Map.of()));
    Locator places = page.locator(".places li");

    browser.visit("/");
    find("ECHO");
    page.locator("rl-task-page h1:has-text('echo')").waitFor();
    find(run.substring(0, 14));
    page.locator("rl-run-page h1:has-text('" + run + "')").waitFor();
    find(job.id());
    page.locator("rl-job-page h1").waitFor();
    assertThat(page.url()).endsWith("/" + job.id());
    find("ed");
    page.locator(".places a:focus:has-text('gated')").waitFor();
    assertThat(places.allInnerTexts())
        .containsExactly("Task gated", "Task checked", "Task numbered", "Queue bounded");
    browser.holdToAxe("what was found");
    page.keyboard().press("ArrowDown");
    page.keyboard().press("Enter");
    page.locator("rl-task-page h1:has-text('checked')").waitFor();
    assertThat(page.locator("#rl-search").inputValue()).isEmpty();
    find("img");
    page.locator(".places a:focus").waitFor();
    assertThat(places.allInnerTexts()).hasSize(2).last().asString().contains("<img", "⟨U+202E⟩");
    page.keyboard().press("Escape");
    page.locator(".places").waitFor(ConsoleBrowser.gone());
    find("nothing-has-this-name");
    page.locator(".places:has-text('Nothing is called so')").waitFor();

    assertThat(page.url()).endsWith("/tasks/checked");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void who_writes_in_the_search_again_while_a_page_is_read_stays_there() {
    AtomicReference<Route> held = new AtomicReference<>();
    page.route("**/pages/task.js*", held::set);
    Locator field = page.locator("#rl-search");

    browser.visit("/");
    find("ECHO");
    page.waitForURL("**/tasks/echo");
    page.waitForCondition(() -> held.get() != null);
    field.fill("next");
    held.get().resume();
    page.locator("rl-task-page h1:has-text('echo')").waitFor();

    assertThat(page.evaluate("() => document.activeElement.id")).isEqualTo("rl-search");
    assertThat(field.inputValue()).isEqualTo("next");
    assertThat(browser.complaints()).isEmpty();
  }

  /** By the keyboard, from anywhere. */
  private void find(String wanted) {
    page.locator("h1").focus();
    page.keyboard().press("/");
    page.locator("#rl-search:focus").fill(wanted);
    page.keyboard().press("Enter");
  }

  @Test
  @Tag("full")
  void a_page_that_could_not_be_read_shows_itself_once_the_console_is_back() {
    page.route("**/pages/*.js", Route::abort);
    browser.visit("/");
    page.locator("nav a:has-text('Schedules')").click();
    page.locator("[role=alert]:has-text('shows itself once the console answers')")
        .waitFor();
    page.unrouteAll();

    page.locator("h1:text-is('Schedules')").waitFor();
    page.locator("[role=alert]").waitFor(ConsoleBrowser.gone());
    assertThat(browser.complaints()).allMatch(each -> each.contains("ERR_FAILED"));
  }

  @Test
  @Tag("full")
  void says_that_the_console_is_gone_and_not_that_there_is_no_such_run() {
    browser.visit("/");
    page.route("**/api/v1/**", route -> route.abort());
    page.locator("#rl-search").fill("run_of_somebody");
    page.keyboard().press("Enter");

    page.locator("[role=alert]:has-text('The console does not answer')").waitFor();
    assertThat(page.url()).endsWith("/");
    page.unrouteAll();
    page.locator("nav a:has-text('Queues')").click();
    page.locator("h1:text-is('Queues')").waitFor();
    page.locator("[role=alert]").waitFor(ConsoleBrowser.gone());
    page.locator("main td:has-text('bounded')").first().waitFor();
    browser.complaints(); // of the requests that were cut off
  }

  @Test
  @Tag("full")
  void a_tab_that_stays_open_keeps_its_memory() {
    browser.visit("/");
    String renew = "async () => { const page = document.querySelector('rl-overview-page');"
        + " for (let time = 0; time < 100; time++) { await page.reload(); } }";
    page.evaluate(renew);
    long before = browser.heap();
    for (int hundred = 0; hundred < 11; hundred++) { // an hour at one renewal in 3 s
      page.evaluate(renew);
    }

    assertThat(browser.heap() - before).isLessThan(20L << 20);
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  @Tag("full")
  void a_tab_that_is_told_of_thousands_of_changes_keeps_its_memory() {
    browser.visit("/runs");
    page.evaluate("async () => { const address = document.querySelector('script[src]').src;"
        + " const { changes } = await import(new URL('lib/changes.js', address).href);"
        + " window.told = 0; changes.addEventListener('change', () => { window.told += 1; }); }");
    tellOfRuns(200, 600);
    long before = browser.heap();

    for (int round = 2; round <= ROUNDS_OF_CHANGES; round++) {
      tellOfRuns(200, round * 600);
    }

    assertThat(browser.heap() - before).isLessThan(20L << 20);
    assertThat(browser.complaints()).isEmpty();
  }

  /** Each is told of at least three times: that it was made, that it began, that it ended. */
  private void tellOfRuns(int runs, int toldInAll) {
    for (int run = 0; run < runs; run++) {
      console.trigger("echo", new JsonObject().put("filling", "x".repeat(1_000)));
    }
    page.waitForFunction("all => window.told >= all", toldInAll);
  }

  @Test
  @Tag("full")
  void asks_for_a_token_where_one_is_needed_and_keeps_it_in_the_tab() {
    console.close();
    console = new ConsoleFixture(new ConsoleOptions()
        .setTokens(
            List.of(new TokenOptions().setName("vera").setRole(Role.VIEWER).setToken(TOKEN))));
    page = browser.open(console.port, 1440, 900, ColorScheme.LIGHT);
    page.navigate(browser.url("/runs"));
    page.locator("input[type=password]").fill("a wrong one");
    page.keyboard().press("Enter");
    page.locator("[role=alert]").waitFor();
    assertThat(browser.complaints()).isNotEmpty().allMatch(each -> each.contains("401"));
    browser.holdToAxe("the page that asks for a token");
    page.locator("input[type=password]").fill(TOKEN);
    page.keyboard().press("Enter");

    page.locator("h1:text-is('Runs')").waitFor();
    page.navigate(browser.url("/queues"));
    page.locator("td:has-text('bounded')").first().waitFor();
    page.evaluate("sessionStorage.setItem('runlane.token', 'one that has ended')");
    page.evaluate(RELOAD);
    page.locator(".again input[type=password]").fill(TOKEN);
    page.keyboard().press("Enter");
    page.locator("dialog").waitFor(ConsoleBrowser.gone());
    page.locator("[role=alert]").waitFor(ConsoleBrowser.gone());
    assertThat(page.locator("button:text-is('Pause …')").count()).isZero();
    assertThat(page.context().cookies()).isEmpty();
    assertThat(browser.complaints()).allMatch(each -> each.contains("401"));
  }

  @Test
  @Tag("full")
  void shows_the_overview_to_who_has_logged_in_on_it() {
    console.close();
    console = new ConsoleFixture(new ConsoleOptions()
        .setTokens(
            List.of(new TokenOptions().setName("vera").setRole(Role.VIEWER).setToken(TOKEN))));
    page = browser.open(console.port, 1440, 900, ColorScheme.LIGHT);
    page.navigate(browser.url("/"));
    page.locator("input[type=password]").fill(TOKEN);
    page.keyboard().press("Enter");

    page.locator(".tiles").waitFor();
    assertThat(page.locator("[role=alert]").count()).isZero();
    assertThat(browser.complaints()).allMatch(each -> each.contains("401"));
  }

  @Test
  @Tag("full")
  void is_small_compressed_and_kept_by_the_browser() {
    browser.visit("/");
    Object loaded = page.evaluate(
        "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).reduce((sum,"
            + " each) => sum + each.transferSize, 0)");

    assertThat(((Number) loaded).longValue()).isBetween(10_000L, 300L << 10);
    assertThat(page.evaluate("(async () => (await"
            + " fetch(document.querySelector('script').src)).headers.get('cache-control'))()"))
        .isEqualTo("public, max-age=31536000, immutable");
    page.reload();
    page.locator(".tiles").waitFor();
    assertThat(page.evaluate("performance.getEntriesByType('resource').filter(each =>"
            + " each.name.includes('/assets/')).reduce((sum, each) => sum +"
            + " each.transferSize, 0)"))
        .isEqualTo(0);
  }

  private static String run(ConsoleFixture.Answered answered) {
    assertThat(answered.status()).as(answered.text()).isEqualTo(201);
    return answered.json().getJsonObject("run").getString("id");
  }
}
