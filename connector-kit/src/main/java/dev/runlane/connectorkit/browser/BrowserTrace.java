package dev.runlane.connectorkit.browser;

import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.Tracing;
import dev.runlane.connectorkit.ConnectorRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Set;

/**
 * A recording of everything the browser did, to be replayed with Playwright's trace viewer. A trace
 * that cannot be made is reported to the owner and does not fail the run.
 */
final class BrowserTrace {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmssSSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private final ConnectorRun run;
  private final Tracing tracing;
  private final Path folder;
  private final Path file;
  private boolean recording;

  /**
   * Starts recording, and says so.
   *
   * @param folder is made, private, when the trace is written; the trace is private in any case, for
   *     it shows what the owner sees
   */
  BrowserTrace(ConnectorRun run, Tracing tracing, Path folder, String name) {
    this.run = run;
    this.tracing = tracing;
    this.folder = folder;
    file = folder.resolve(name + "-" + TIME.format(run.clock().instant()) + ".zip");
    start();
  }

  /** Writes the trace, once, and says where, or why it could not. */
  void finish() {
    if (!recording) {
      return;
    }
    recording = false;
    try {
      PrivateFolder.createMissing(folder);
      tracing.stop(new Tracing.StopOptions().setPath(file));
      Files.setPosixFilePermissions(file, OWNER_ONLY);
    } catch (IOException | PlaywrightException notWritten) {
      run.progress("Browser trace %s was not written: %s".formatted(name(), reason(notWritten)));
      return;
    }
    run.progress("Browser trace written: " + file);
  }

  private void start() {
    boolean sources = run.environment().containsKey("PLAYWRIGHT_JAVA_SRC");
    try {
      tracing.start(
          new Tracing.StartOptions().setScreenshots(true).setSnapshots(true).setSources(sources));
    } catch (PlaywrightException notStarted) {
      run.progress("Browser trace %s was not started: %s".formatted(name(), reason(notStarted)));
      return;
    }
    recording = true;
    run.progress("Browser trace started: " + name());
  }

  private String name() {
    return String.valueOf(file.getFileName());
  }

  private static String reason(Exception failure) {
    return failure.getClass().getSimpleName() + " " + PlaywrightDriver.reason(failure);
  }
}
