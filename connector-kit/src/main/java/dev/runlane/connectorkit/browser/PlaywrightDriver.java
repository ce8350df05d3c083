package dev.runlane.connectorkit.browser;

import com.microsoft.playwright.Playwright;
import dev.runlane.connectorkit.message.ConnectorFailure;
import dev.runlane.connectorkit.message.RecoveryAction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Starts Playwright's driver, a program for Node, on the machine's own Node. */
final class PlaywrightDriver {

  private static final int OLDEST_NODE = 20;
  private static final Pattern NODE_VERSION = Pattern.compile("v(\\d+)\\..*\\s*");

  /**
   * The runtime ends a connector by a signal to its whole process group. The driver must outlive
   * it, or no trace could be written; it ends when the connector closes its input.
   */
  private static final String DEAF_TO_SIGNALS = "--import=data:text/javascript,"
      + "for(const~s~of['SIGTERM','SIGINT','SIGHUP'])process.on(s,()=>{})".replace("~", "%20");

  private PlaywrightDriver() {}

  /**
   * Starts it.
   *
   * @param limit how long Node may take to tell its version
   */
  static Playwright start(Map<String, String> environment, Path node, Duration limit) {
    requireVersion(node, limit);
    Map<String, String> variables = new HashMap<>(environment);
    variables.put("PLAYWRIGHT_NODEJS_PATH", node.toString());
    variables.put("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    variables.merge("NODE_OPTIONS", DEAF_TO_SIGNALS, (given, own) -> given + " " + own);
    return Playwright.create(new Playwright.CreateOptions().setEnv(variables));
  }

  private static void requireVersion(Path node, Duration limit) {
    String version = version(node, limit);
    Matcher found = NODE_VERSION.matcher(version);
    if (!found.matches() || Integer.parseInt(found.group(1)) < OLDEST_NODE) {
      throw unavailable("Node %s or newer, but %s says %s".formatted(OLDEST_NODE, node, version));
    }
  }

  private static String version(Path node, Duration limit) {
    try {
      Process asked = new ProcessBuilder(node.toString(), "--version")
          .redirectErrorStream(true)
          .start();
      try {
        return answer(asked, limit);
      } finally {
        asked.destroyForcibly();
      }
    } catch (IOException notStarted) {
      throw new UncheckedIOException(node + " cannot be started", notStarted);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw unavailable("Node, but the connector was stopped while it asked for its version");
    }
  }

  /** Reads only once the process has ended: a read waits for as long as it likes. */
  private static String answer(Process asked, Duration limit)
      throws IOException, InterruptedException {
    asked.getOutputStream().close();
    return asked.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)
        ? new String(asked.getInputStream().readNBytes(100), StandardCharsets.UTF_8).strip()
        : "nothing within " + limit;
  }

  /** What a failure is about, in one line: Playwright's own begins with a bracket. */
  static String reason(Exception failure) {
    String text = String.valueOf(failure.getMessage()).replaceFirst("^Error \\{\\s+message='", "");
    return text.lines().findFirst().orElse("");
  }

  static ConnectorFailure unavailable(String needed) {
    return ConnectorFailure.permanent(
        "browser_unavailable",
        "the browser needs " + needed,
        RecoveryAction.MANUAL_ACTION_REQUIRED);
  }
}
