package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.LoadState;
import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
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
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");
  private static final String MARKUP =
      "<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egnp.exe";

  private static final String TOKEN = "a-viewers-token-of-enough-characters";

  private static Playwright playwright;
  private static Browser browser;

  private final List<String> complaints = new ArrayList<>();
  private ConsoleFixture console;
  private Page page;

  @BeforeAll
  static void startBrowser() throws IOException {
    Optional<Path> chromium = onPath("chromium", "chromium-browser", "google-chrome");
    Optional<Path> node = onPath("node", "nodejs");
    assumeTrue(chromium.isPresent(), "Chromium is not installed");
    assumeTrue(node.isPresent(), "Node 20 or newer is not installed");
    Files.createDirectories(SCREENSHOTS);
    playwright = Playwright.create(new Playwright.CreateOptions()
        .setEnv(Map.of(
            "PLAYWRIGHT_NODEJS_PATH",
            node.get().toString(),
            "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD",
            "1")));
    browser = playwright
        .chromium()
        .launch(
            new LaunchOptions().setExecutablePath(chromium.get()).setArgs(List.of("--no-sandbox")));
  }

  private static Optional<Path> onPath(String... names) {
    return Stream.of(System.getenv("PATH").split(":"))
        .flatMap(folder -> Stream.of(names).map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @AfterAll
  static void closeBrowser() {
    if (playwright != null) {
      playwright.close();
    }
  }

  @BeforeEach
  void start() {
    console = new ConsoleFixture(new ConsoleOptions());
    page = open(1440, 900, ColorScheme.LIGHT);
  }

  @AfterEach
  void close() {
    page.context().close();
    console.close();
  }

  @Test
  void shows_every_view_in_both_themes_without_a_complaint_of_the_browser_or_of_axe() {
    String succeeded = console.trigger("echo", new JsonObject().put("text", "a payload"));
    String failed = console.trigger("fails", new JsonObject());
    String running = console.trigger("gated", new JsonObject());
    console.ended(succeeded);
    console.ended(failed);
    console.post(
        "/api/v1/queues/bounded/pause", new JsonObject().put("reason", "the bank is closed"));
    List<String> views = List.of(
        "/",
        "/runs",
        "/runs?status=failed",
        "/runs?task=nothing",
        "/runs/" + succeeded,
        "/runs/" + failed,
        "/runs/" + running,
        "/tasks",
        "/tasks/checked",
        "/queues",
        "/workers",
        "/outbox",
        "/actions",
        "/bulk?status=failed");

    for (ColorScheme theme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      page.context().close();
      page = open(1440, 900, theme);
      for (String view : views) {
        visit(view);
        assertThat(violations()).as("axe in %s of %s", theme, view).isEmpty();
        shot(view, theme == ColorScheme.DARK ? "dark" : "1440");
      }
    }

    assertThat(complaints).isEmpty();
  }

  @Test
  @Tag("full")
  void fits_a_tablet_and_a_phone() {
    String failed = console.trigger("fails", new JsonObject().put("long", "x".repeat(3_000)));
    console.ended(failed);
    for (int width : List.of(1024, 390)) {
      page.context().close();
      page = open(width, 844, ColorScheme.LIGHT);
      for (String view : List.of("/", "/runs", "/runs/" + failed, "/queues", "/workers")) {
        visit(view);
        shot(view, "" + width);
        assertThat(page.evaluate("document.documentElement.scrollWidth"))
            .as("%s at %d px", view, width)
            .isEqualTo(width);
      }
    }
    assertThat(complaints).isEmpty();
  }

  @Test
  @Tag("full")
  void finds_a_failed_run_and_retries_it_by_keyboard_alone() {
    String failed = console.trigger("fails", new JsonObject());
    console.ended(failed);
    visit("/");
    page.keyboard().press("g");
    page.keyboard().press("r");
    page.waitForURL("**/runs");
    page.keyboard().press("/");
    page.keyboard().type(failed);
    page.keyboard().press("Enter");
    page.waitForURL("**/runs/" + failed);
    page.locator("text=Task failed").first().waitFor();
    tabTo("Retry …");
    page.keyboard().press("Enter");
    page.locator("dialog textarea").waitFor();
    page.keyboard().type("the bank is open again");
    page.keyboard().press("Tab");
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");
    page.waitForURL(url -> url.contains("/runs/") && !url.endsWith(failed));

    page.locator("a bdi:text-is('" + failed + "')").waitFor();
    assertThat(complaints).isEmpty();
  }

  @Test
  @Tag("full")
  void pauses_and_resumes_a_queue_by_keyboard_alone() {
    visit("/queues");
    tabTo("Pause …");
    page.keyboard().press("Enter");
    page.keyboard().type("the bank is closed");
    page.keyboard().press("Tab");
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");
    page.locator("text=the bank is closed").waitFor();
    tabTo("Resume …");
    page.keyboard().press("Enter");
    page.keyboard().type("it is open");
    page.keyboard().press("Tab");
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");
    page.locator("button:text-is('Resume …')").waitFor(gone());

    page.keyboard().press("g");
    page.keyboard().press("a");
    page.locator("td bdi:text-is('queue.resume')").waitFor();
    assertThat(complaints).isEmpty();
  }

  @Test
  @Tag("full")
  void triggers_a_run_by_the_form_of_its_task_and_cancels_it_by_keyboard_alone() {
    visit("/tasks/gated");
    tabTo("Trigger");
    page.keyboard().press("Enter");
    page.locator(".badge:has-text('running')").waitFor();
    tabTo("Cancel run …");
    page.keyboard().press("Enter");
    page.locator("dialog textarea").waitFor();
    page.keyboard().type("made by mistake");
    page.keyboard().press("Tab");
    page.keyboard().press("Tab");
    page.keyboard().press("Enter");

    page.locator("summary:has-text('cancellation requested')").waitFor();
    page.locator("summary:has-text('made by mistake')").first().waitFor();
    assertThat(complaints).isEmpty();
  }

  @Test
  @Tag("full")
  void retries_all_runs_of_a_filter_after_counting_them() {
    for (int number = 0; number < 3; number++) {
      console.ended(console.trigger("fails", new JsonObject().put("number", number)));
    }
    visit("/runs?task=fails&status=failed");
    page.locator("text=Act on all of them").click();
    page.locator("button:text-is('Retry …')").click();
    page.locator("dialog:has-text('3 runs would be retried')").waitFor();
    page.locator("dialog textarea").fill("the deployment was mended");
    page.locator("dialog button.primary").click();

    page.locator("tr:has-text('the deployment was mended'):has-text('done')").waitFor();
    assertThat(complaints).isEmpty();
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
      visit(view);
      assertThat(page.locator("main").innerText())
          .contains("<img src=x onerror=alert(1)>", "⟨U+202E⟩")
          .doesNotContain("\u202E");
      assertThat(page.locator("main img").count()).isZero();
    }
    assertThat(complaints).isEmpty();
  }

  @Test
  @Tag("full")
  void asks_for_a_token_where_one_is_needed_and_keeps_it_in_the_tab() {
    console.close();
    console = new ConsoleFixture(new ConsoleOptions()
        .setTokens(
            List.of(new TokenOptions().setName("vera").setRole(Role.VIEWER).setToken(TOKEN))));
    page.navigate(url("/runs"));
    page.locator("input[type=password]").fill("a wrong one");
    page.keyboard().press("Enter");
    page.locator("[role=alert]").waitFor();
    assertThat(violations()).isEmpty();
    page.locator("input[type=password]").fill(TOKEN);
    page.keyboard().press("Enter");

    page.locator("h1:text-is('Runs')").waitFor();
    page.navigate(url("/queues"));
    page.locator("td:has-text('bounded')").first().waitFor();
    assertThat(page.locator("button:text-is('Pause …')").count()).isZero();
    assertThat(page.context().cookies()).isEmpty();
  }

  @Test
  @Tag("full")
  void is_small_compressed_and_kept_by_the_browser() {
    visit("/");
    Object loaded = page.evaluate(
        "performance.getEntriesByType('resource').concat("
            + "performance.getEntriesByType('navigation')).reduce((sum, each) => sum + each.transferSize, 0)");

    assertThat(((Number) loaded).longValue()).isBetween(10_000L, 300L << 10);
    assertThat(
            page.evaluate(
                "(async () => (await fetch(document.querySelector('script').src)).headers.get('cache-control'))()"))
        .isEqualTo("public, max-age=31536000, immutable");
    page.reload();
    page.waitForLoadState(LoadState.NETWORKIDLE);
    assertThat(
            page.evaluate(
                "performance.getEntriesByType('resource')"
                    + ".filter(each => each.name.includes('/assets/')).reduce((sum, each) => sum + each.transferSize, 0)"))
        .isEqualTo(0);
  }

  private static String run(ConsoleFixture.Answered answered) {
    assertThat(answered.status()).as(answered.text()).isEqualTo(201);
    return answered.json().getJsonObject("run").getString("id");
  }

  private String url(String view) {
    return "http://127.0.0.1:" + console.port + view;
  }

  private Page open(int width, int height, ColorScheme theme) {
    BrowserContext context = browser.newContext(new Browser.NewContextOptions()
        .setViewportSize(width, height)
        .setColorScheme(theme)
        .setTimezoneId("Europe/Berlin"));
    context.setDefaultTimeout(10_000);
    Page opened = context.newPage();
    opened.onConsoleMessage(message -> {
      if (message.type().equals("error")) {
        complaints.add(opened.url() + ": " + message.text());
      }
    });
    opened.onPageError(error -> complaints.add(opened.url() + ": " + error));
    opened.onDialog(dialog -> {
      complaints.add("a dialog: " + dialog.message());
      dialog.dismiss();
    });
    opened.onRequest(request -> {
      if (!request.url().startsWith("http://127.0.0.1:" + console.port + "/")
          && !request.url().startsWith("blob:")) {
        complaints.add("asks elsewhere: " + request.url());
      }
    });
    return opened;
  }

  private void visit(String view) {
    page.navigate(url(view));
    page.locator("main h1").waitFor();
    page.locator("main .loading").waitFor(gone());
  }

  private static com.microsoft.playwright.Locator.WaitForOptions gone() {
    return new com.microsoft.playwright.Locator.WaitForOptions()
        .setState(com.microsoft.playwright.options.WaitForSelectorState.DETACHED);
  }

  /** Goes on by the tabulator until the button of this text has the focus. */
  private void tabTo(String text) {
    page.locator("main button:text-is('" + text + "')").first().waitFor();
    for (int pressed = 0; pressed < 200; pressed++) {
      if (text.equals(page.evaluate("document.activeElement.textContent.trim()"))) {
        return;
      }
      page.keyboard().press("Tab");
    }
    throw new AssertionError("the keyboard does not reach " + text);
  }

  private List<?> violations() {
    if (!Boolean.TRUE.equals(page.evaluate("'axe' in window"))) {
      page.evaluate(axe());
    }
    return (List<?>) page.evaluate(
        "(async () => (await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a',"
            + " 'wcag21aa', 'best-practice']})).violations.map(each => each.id + ': ' + each.nodes"
            + ".map(node => node.html.slice(0, 160) + ' ' + node.failureSummary).join(' | ')))()");
  }

  private static String axe() {
    try (InputStream script = ConsolePagesTest.class
        .getClassLoader()
        .getResourceAsStream("META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new AssertionError(unreadable);
    }
  }

  private void shot(String view, String kind) {
    String name = view.equals("/")
        ? "overview"
        : view.substring(1).replaceAll("run_[^/?]*", "one").replaceAll("[^a-z]+", "-");
    page.screenshot(new Page.ScreenshotOptions()
        .setFullPage(true)
        .setPath(SCREENSHOTS.resolve(name + "-" + kind + ".png")));
  }
}
