package dev.runlane.connectorkit.browser;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Map;

/** The machine's own Chromium and Node; what needs them is left out where they are missing. */
final class InstalledBrowser {

  private InstalledBrowser() {}

  static void assumeInstalled() {
    BrowserEnvironment machine = new BrowserEnvironment(System.getenv());
    assumeTrue(machine.chromium().isPresent(), "Chromium is not installed");
    assumeTrue(
        machine.node().map(node -> nodeVersion(node.toString())).orElse(0) >= 20,
        "Node 20 or newer is not installed");
  }

  /** The environment of a connector with its data in {@code home}. */
  static Map<String, String> environment(String home) {
    return Map.of("PATH", System.getenv("PATH"), "HOME", home, "PDPP_BROWSER_HEADLESS", "1");
  }

  private static int nodeVersion(String node) {
    try {
      Process asked = new ProcessBuilder(node, "--version").start();
      String version = new String(asked.getInputStream().readAllBytes());
      return Integer.parseInt(version.replaceAll("^v(\\d+)\\.[\\s\\S]*$", "$1"));
    } catch (IOException | NumberFormatException unknown) {
      return 0;
    }
  }
}
