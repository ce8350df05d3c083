package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Media;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Chromium, and one page of it at a time that minds what the browser complains of. */
final class ConsoleBrowser implements AutoCloseable {
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");
  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final String CONSOLES = "http://127.0.0.1:";

  private final Playwright playwright;
  private final Browser browser;
  private final List<String> complaints = new ArrayList<>();
  private final Map<String, Integer> shots = new HashMap<>(); // by name
  private Page page;
  private int port;

  private ConsoleBrowser(Playwright playwright, Browser browser) {
    this.playwright = playwright;
    this.browser = browser;
  }

  /** Skips the test where Chromium or Node is not installed. */
  static ConsoleBrowser start() throws IOException {
    Optional<Path> chromium = onPath("chromium", "chromium-browser", "google-chrome");
    Optional<Path> node = onPath("node", "nodejs");
    assumeTrue(chromium.isPresent(), "Chromium is not installed");
    assumeTrue(node.isPresent(), "Node 20 or newer is not installed");
    Files.createDirectories(SCREENSHOTS);
    Playwright playwright = Playwright.create(new Playwright.CreateOptions()
        .setEnv(Map.of(
            "PLAYWRIGHT_NODEJS_PATH",
            node.get().toString(),
            "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD",
            "1")));
    LaunchOptions options = new LaunchOptions()
        .setExecutablePath(chromium.get())
        .setArgs(List.of("--no-sandbox", "--enable-precise-memory-info"));
    return new ConsoleBrowser(playwright, playwright.chromium().launch(options));
  }

  private static Optional<Path> onPath(String... names) {
    return Stream.of(System.getenv("PATH").split(":"))
        .flatMap(folder -> Stream.of(names).map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** The page, emptied, for a console on this port: a process for a new one takes longer than most cases do. */
  Page open(int consolePort, int width, int height, ColorScheme theme) {
    closePage();
    complaints.clear(); // what the case before did not look at
    port = consolePort;
    if (page == null) {
      page = newPage();
    }
    page.setViewportSize(width, height);
    page.emulateMedia(new Page.EmulateMediaOptions().setMedia(Media.SCREEN).setColorScheme(theme));
    return page;
  }

  private Page newPage() {
    BrowserContext context =
        browser.newContext(new Browser.NewContextOptions().setTimezoneId("Europe/Berlin"));
    context.setDefaultTimeout(30_000);
    Page opened = context.newPage();
    opened.onConsoleMessage(message -> {
      if (message.type().equals("error") && !isOfCaseBefore(message.location())) {
        complaints.add(opened.url() + ": " + message.text());
      }
    });
    opened.onPageError(error -> complaints.add(opened.url() + ": " + error));
    opened.onDialog(dialog -> {
      complaints.add("a dialog: " + dialog.message());
      dialog.dismiss();
    });
    opened.onResponse(response -> {
      if (response.status() >= 400 && !isOfCaseBefore(response.url())) {
        complaints.add(response.status() + " for " + response.url());
      }
    });
    opened.onRequest(request -> {
      if (!request.url().startsWith(CONSOLES + port + "/") && !request.url().startsWith("blob:")) {
        complaints.add("asks elsewhere: " + request.url());
      }
    });
    return opened;
  }

  /** Each case has a console of its own: what is told late of the one before comes behind that case's last look. */
  private boolean isOfCaseBefore(String place) {
    return place.startsWith(CONSOLES) && !place.startsWith(CONSOLES + port + "/");
  }

  /** What was complained of by any page since the last time this was asked. */
  List<String> complaints() {
    List<String> all = List.copyOf(complaints);
    complaints.clear();
    return all;
  }

  String url(String view) {
    return CONSOLES + port + view;
  }

  void visit(String view) {
    page.navigate(url(view));
    awaitShown();
  }

  private void awaitShown() {
    page.locator("main h1").waitFor();
    page.locator("main .loading").waitFor(gone());
    page.waitForFunction(
        "() => [...document.querySelectorAll('.plot')].every(plot => plot.hidden || plot.querySelector('canvas'))");
  }

  /** Goes on from the page that is shown to one of another path, as by a link. */
  void follow(String view) {
    page.evaluate(
        "address => { const link = Object.assign(document.createElement('a'), { href: address });"
            + " document.body.append(link); link.click(); link.remove(); }",
        view);
    page.waitForFunction(
        "address => '/' + document.querySelector('#rl-page').firstElementChild?.place.parts.join('/') === address",
        view);
    awaitShown();
  }

  static Locator.WaitForOptions gone() {
    return new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED);
  }

  /** Goes on by the tabulator until the button of this text has the focus. */
  void tabTo(String text) {
    page.locator("main button:text-is('" + text + "')").first().waitFor();
    for (int pressed = 0; pressed < 200; pressed++) {
      if (text.equals(page.evaluate("document.activeElement.textContent.trim()"))) {
        return;
      }
      page.keyboard().press("Tab");
    }
    throw new AssertionError("the keyboard does not reach " + text);
  }

  /** Fills in why something is done, and does it. */
  void confirm(String reason) {
    page.locator("dialog textarea[name=reason]").fill(reason);
    page.locator("dialog .buttons button:not(.quiet)").click();
    page.locator("dialog").waitFor(gone());
  }

  /** What axe-core finds against WCAG 2.1 AA and its own best practice. */
  void holdToAxe(String view) {
    if (!Boolean.TRUE.equals(page.evaluate("'axe' in window"))) {
      page.evaluate(axe());
    }
    List<?> violations = (List<?>) page.evaluate(
        "(async () => (await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a',"
            + " 'wcag21aa', 'best-practice']})).violations.map(each => each.id + ': ' + each.nodes"
            + ".map(node => node.html.slice(0, 160) + ' ' + node.failureSummary).join(' | ')))()");
    assertThat(violations).as("axe in %s", view).isEmpty();
  }

  private static String axe() {
    try (InputStream script = ConsoleBrowser.class
        .getClassLoader()
        .getResourceAsStream("META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new AssertionError(unreadable);
    }
  }

  /** The whole page as a picture in {@code target/screenshots}, for whoever changes it: with {@code ./check --all}. */
  void shot(String view, String kind) {
    if (!FULL) {
      return;
    }
    String name = view.equals("/")
        ? "overview"
        : view.substring(1)
            .replaceAll("run_[^/?]*|[0-9a-f]{8}-[-0-9a-f]{27}", "one")
            .replaceAll("[^a-z]+", "-");
    int turn = shots.merge(name + "-" + kind, 1, Integer::sum);
    page.screenshot(new Page.ScreenshotOptions()
        .setFullPage(true)
        .setPath(SCREENSHOTS.resolve(name + (turn == 1 ? "" : "-" + turn) + "-" + kind + ".png")));
  }

  /**
   * What a reader sees first, for the README: to be copied to {@code docs} when the pages change. With {@code ./check
   * --all}.
   */
  void picture(String view, String name) {
    if (!FULL) {
      return;
    }
    visit(view);
    page.screenshot(
        new Page.ScreenshotOptions().setPath(SCREENSHOTS.resolve("console-" + name + ".png")));
  }

  /** How many bytes the page's objects take once those that nobody uses are collected. */
  long heap() {
    CDPSession session = page.context().newCDPSession(page);
    session.send("HeapProfiler.collectGarbage");
    long used = session.send("Runtime.getHeapUsage").get("usedSize").getAsLong();
    session.detach();
    return used;
  }

  /** Ends what the page asks a console for, and forgets all that it keeps: another console may get its port. */
  void closePage() {
    if (page != null && page.url().startsWith("http")) {
      page.unrouteAll();
      page.evaluate("() => [sessionStorage, localStorage].forEach(each => each.clear())");
      page.navigate("about:blank");
      page.context().clearCookies();
      CDPSession session = page.context().newCDPSession(page);
      session.send("Network.clearBrowserCache");
      session.detach();
    }
  }

  @Override
  public void close() {
    playwright.close();
  }
}
