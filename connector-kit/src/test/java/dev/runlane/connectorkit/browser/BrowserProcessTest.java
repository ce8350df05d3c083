package dev.runlane.connectorkit.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.runlane.connectorkit.Connector;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("the process of a connector with a browser")
@DisplayNameGeneration(ReplaceUnderscores.class)
class BrowserProcessTest {

  private static final String START =
      "{\"type\":\"START\",\"run_id\":\"r\",\"scope\":{\"streams\":[{\"name\":\"a\"}]}}\n";

  @TempDir
  Path home;

  @Test
  void R10_S4_closes_its_trace_and_its_browser_on_SIGTERM_to_all_of_its_group() throws Exception {
    InstalledBrowser.assumeInstalled();
    Process process = launch();
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      assertThat(output.readLine()).contains("Browser trace started");
      assertThat(output.readLine()).contains("waiting");
      List<ProcessHandle> started = process.descendants().toList();
      assertThat(started).as("the driver").anyMatch(each -> isProgram(each, "node"));
      assertThat(started).as("the browser").anyMatch(each -> isProgram(each, "chrom"));

      signalGroup(process, "TERM");

      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(143);
      String written = output.readLine();
      String file = written.replaceAll(".*Browser trace written: (.*\\.zip).*", "$1");
      try (ZipFile zip = new ZipFile(file)) {
        assertThat(zip.stream().map(entry -> entry.getName())).contains("trace.trace");
      }
      assertThat(output.readLine()).as("nothing is said after it").isNull();
      assertThat(started).allSatisfy(BrowserProcessTest::awaitDead);
    } finally {
      signalGroup(process, "KILL");
    }
  }

  private Process launch() throws IOException {
    ProcessBuilder builder = new ProcessBuilder(List.of(
            "setsid",
            System.getProperty("java.home") + "/bin/java",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            WaitingBrowser.class.getName()))
        .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(InstalledBrowser.environment(home.toString()));
    builder.environment().put("PDPP_TRACE", "1");
    Process process = builder.start();
    process.getOutputStream().write(START.getBytes(UTF_8));
    process.getOutputStream().flush();
    return process;
  }

  /** As the runtime does it: to the process that leads the group, and to all that it started. */
  private static void signalGroup(Process leader, String signal) throws Exception {
    new ProcessBuilder("sh", "-c", "kill -s \"$1\" -- \"-$2\"", "sh", signal, "" + leader.pid())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor(30, TimeUnit.SECONDS);
  }

  private static boolean isProgram(ProcessHandle process, String name) {
    String program = process.info().command().orElse("");
    return program.substring(program.lastIndexOf('/') + 1).contains(name);
  }

  private static void awaitDead(ProcessHandle process) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!isDead(process)) {
      assertThat(System.nanoTime()).as("%s lives on", process.info()).isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }

  /** One that nobody has reaped is dead too. */
  private static boolean isDead(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      return !process.isAlive() || stat.matches("(?s).*\\) [ZX] .*");
    } catch (IOException gone) {
      return true;
    }
  }

  /** Waits for what never appears, in the middle of a call of Playwright. */
  static final class WaitingBrowser {
    public static void main(String[] arguments) {
      Connector.run(run -> {
        Page page = BrowserSession.open(run, new BrowserOptions("shelf")).page();
        page.navigate("data:text/html,<title>Shelf</title>");
        run.progress("waiting");
        page.waitForSelector("#never", new Page.WaitForSelectorOptions().setTimeout(600_000));
      });
    }
  }
}
