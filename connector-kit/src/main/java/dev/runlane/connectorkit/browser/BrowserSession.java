package dev.runlane.connectorkit.browser;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.PlaywrightException;
import dev.runlane.connectorkit.ConnectorRun;
import dev.runlane.connectorkit.message.ConnectorFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A browser on the owner's profile, with a session that is live. For the thread that opened it.
 *
 * <p>Closed at the end of the run at the latest, also on SIGTERM, its trace written before.
 */
public final class BrowserSession implements AutoCloseable {

  private final BrowserProfile profile;
  private final Playwright playwright;
  private final BrowserContext context;
  private final @Nullable BrowserTrace trace;
  private boolean closed;

  private BrowserSession(
      BrowserProfile profile,
      Playwright playwright,
      BrowserContext context,
      @Nullable BrowserTrace trace) {
    this.profile = profile;
    this.playwright = playwright;
    this.context = context;
    this.trace = trace;
  }

  /**
   * Launches the browser and makes sure of its session, as the options say: by the {@code
   * ensureSession} hook, else by the probe, which may ask the owner to log in by hand, else not at
   * all.
   *
   * <p>Fails with {@link ConnectorFailure}: {@code browser_profile_name_invalid} and {@code
   * browser_unavailable} before anything is launched, {@code browser_profile_in_use} while another
   * browser has the profile, {@code browser_launch_failed}, and {@code NAME_session_required} when
   * the session is not live although the owner was asked.
   */
  public static BrowserSession open(ConnectorRun run, BrowserOptions options) {
    BrowserOptions given = new BrowserOptions(options);
    BrowserSession session = launch(run, given);
    run.onEnd(session);
    new SessionGate(run, given).pass(session.context);
    return session;
  }

  /** The browser; its pages, cookies and storage are those of the profile. */
  public BrowserContext context() {
    return context;
  }

  /** The first page, opened if there is none. */
  public Page page() {
    List<Page> pages = context.pages();
    return pages.isEmpty() ? context.newPage() : pages.get(0);
  }

  /** Writes the trace if there is one, closes the browser and gives the profile free. Once. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    boolean interrupted = Thread.interrupted(); // Playwright could not talk to its driver
    try (profile;
        playwright) {
      if (trace != null) {
        trace.finish();
      }
      context.close();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static BrowserSession launch(ConnectorRun run, BrowserOptions options) {
    BrowserEnvironment surroundings = new BrowserEnvironment(run.environment());
    String folderName = BrowserProfile.folderName(surroundings, options.getProfileName());
    Path chromium = chromium(surroundings, options);
    Path node = node(surroundings, options);
    BrowserProfile profile = BrowserProfile.hold(surroundings.profileRoot(), folderName);
    Playwright playwright = null;
    try {
      playwright = PlaywrightDriver.start(run.environment(), node, options.getLaunchLimit());
      BrowserContext context = playwright
          .chromium()
          .launchPersistentContext(
              profile.folder(), launchOptions(surroundings, options, chromium));
      BrowserTrace trace = surroundings.isTraced()
          ? new BrowserTrace(run, context.tracing(), traceFolder(surroundings, options), folderName)
          : null;
      return new BrowserSession(profile, playwright, context, trace);
    } catch (RuntimeException failed) {
      release(profile, playwright, failed);
      throw failed instanceof PlaywrightException ? launchFailed(failed) : failed;
    }
  }

  private static BrowserType.LaunchPersistentContextOptions launchOptions(
      BrowserEnvironment surroundings, BrowserOptions options, Path chromium) {
    List<String> arguments = new ArrayList<>(options.getArguments());
    if (isRoot()) {
      arguments.add("--no-sandbox"); // Chromium refuses to start as root otherwise
    }
    return new BrowserType.LaunchPersistentContextOptions()
        .setExecutablePath(chromium)
        .setHeadless(surroundings.isHeadless())
        .setArgs(arguments)
        .setTimeout((double) options.getLaunchLimit().toMillis())
        .setHandleSIGHUP(false)
        .setHandleSIGINT(false)
        .setHandleSIGTERM(false);
  }

  private static Path chromium(BrowserEnvironment surroundings, BrowserOptions options) {
    Path given = options.getChromium();
    return given != null
        ? given
        : surroundings
            .chromium()
            .orElseThrow(() -> PlaywrightDriver.unavailable("Chromium, which is not on the PATH"));
  }

  private static Path node(BrowserEnvironment surroundings, BrowserOptions options) {
    Path given = options.getNode();
    return given != null
        ? given
        : surroundings
            .node()
            .orElseThrow(() -> PlaywrightDriver.unavailable("Node, which is not on the PATH"));
  }

  private static Path traceFolder(BrowserEnvironment surroundings, BrowserOptions options) {
    Path given = options.getTraceFolder();
    return given != null ? given : surroundings.dataFolder().resolve("traces");
  }

  private static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException noProcesses) {
      return "root".equals(System.getProperty("user.name"));
    }
  }

  private static void release(
      BrowserProfile profile, @Nullable Playwright playwright, RuntimeException failed) {
    try (profile) {
      if (playwright != null) {
        playwright.close();
      }
    } catch (RuntimeException notClosed) {
      failed.addSuppressed(notClosed);
    }
  }

  private static ConnectorFailure launchFailed(RuntimeException failed) {
    return new ConnectorFailure(
            "browser_launch_failed",
            "the browser did not start: " + PlaywrightDriver.reason(failed))
        .causedBy(failed);
  }
}
