package dev.runlane.console;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.vertx.core.json.JsonObject;
import java.io.IOException;

/**
 * Keeps a tab open on the overview for as many minutes as the first argument says, 60 without one, while each
 * second a run is made and ends; prints the tab's heap after each minute. {@link ConsolePagesTest} has as many
 * renewals and changes without the waiting.
 */
final class OpenTab {
  private static final int RUNS_A_MINUTE = 60;

  private OpenTab() {}

  public static void main(String[] arguments) throws IOException {
    int minutes = arguments.length == 0 ? 60 : Integer.parseInt(arguments[0]);
    try (ConsoleBrowser browser = ConsoleBrowser.start();
        ConsoleFixture console = new ConsoleFixture(new ConsoleOptions())) {
      Page page = browser.open(console.port, 1440, 900, ColorScheme.LIGHT);
      browser.visit("/");
      long first = 0;
      for (int minute = 1; minute <= minutes; minute++) {
        for (int run = 0; run < RUNS_A_MINUTE; run++) {
          console.trigger("echo", new JsonObject().put("filling", "x".repeat(1_000)));
          page.waitForTimeout(1_000);
        }
        long used = browser.heap();
        first = minute == 1 ? used : first;
        System.out.printf(
            "minute %d: %d KiB, %+d KiB since the first%n",
            minute, used >> 10, (used - first) >> 10);
      }
      browser.closePage();
      System.out.println("complaints of the browser: " + browser.complaints());
    }
  }
}
