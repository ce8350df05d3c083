package dev.runlane.connector.process;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small shell beside the controller that outlives it, should it be killed, by just as long as it takes to end
 * the controller's children. It knows of a group before that group's program begins. One that was itself killed
 * is replaced. Its methods write a line to a pipe and may wait for a process to start.
 */
final class Guard {
  private static final Logger LOG = LoggerFactory.getLogger(Guard.class);
  private static final int MOST_STARTS = 16; // in a row, none of which outlived a child
  private static final Duration LEAVES_WITHIN = Duration.ofSeconds(2);

  private final String script;
  private final String mark;

  // Guarded by this.
  private final Set<Long> groups = new LinkedHashSet<>();
  private @Nullable Process process;
  private int starts;
  private boolean closed;

  /**
   * A guard that has not started.
   *
   * @param mark with which the marks of all children begin, {@code NAME=start of the value}
   */
  Guard(String mark) {
    this.mark = mark;
    script = script();
  }

  /** Starts it, unless it is there. Throws {@code ConfigurationInvalid} where no shell can be started. */
  synchronized void start() {
    if (closed || (process != null && process.isAlive())) {
      return;
    }
    if (++starts > MOST_STARTS) {
      throw RunlaneException.of(
          ErrorCode.INTERNAL_ERROR,
          "the guard of child processes ended %d times in a row",
          MOST_STARTS);
    }
    try {
      process = launch();
      for (long group : groups) {
        send(process, "+ " + group);
      }
    } catch (IOException e) {
      throw RunlaneException.configurationInvalid("child processes need setsid and /bin/sh")
          .causedBy(e);
    }
  }

  /** Promises that the group is ended if this process dies. */
  synchronized void add(long group) {
    groups.add(group);
    try {
      say("+ " + group);
    } catch (RuntimeException notTold) {
      groups.remove(group); // its number may be a stranger's by the time a guard is notified of all
      throw notTold;
    }
  }

  /** Nothing of the group is left. */
  synchronized void remove(long group) {
    if (groups.remove(group)) {
      if (process != null && process.isAlive()) {
        starts = 0; // guards do live as long as a child, so what ended earlier ones is past
      }
      say("- " + group);
    }
  }

  /** Lets it go, and waits a moment until it has; all children must have ended. */
  synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (process != null) {
      try {
        send(process, "bye");
        process.getOutputStream().close();
        process.waitFor(LEAVES_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
      } catch (IOException gone) {
        LOG.debug("the guard of child processes had gone before: {}", gone.toString());
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void say(String line) {
    try {
      if (process != null && process.isAlive()) {
        send(process, line);
        return;
      }
    } catch (IOException gone) {
      LOG.debug("the guard of child processes is gone: {}", gone.toString());
      process = null; // what read that pipe has ended, though the system may not say so yet
    }
    start(); // and tell it all groups
  }

  private Process launch() throws IOException {
    ProcessBuilder builder = new ProcessBuilder(
            "setsid", "/bin/sh", "-c", script, "runlane-guard", mark)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD);
    Map<String, String> environment = builder.environment();
    String path = environment.getOrDefault("PATH", "/usr/bin:/bin");
    environment.clear();
    environment.put("PATH", path);
    return builder.start();
  }

  private static void send(Process guard, String line) throws IOException {
    OutputStream pipe = guard.getOutputStream();
    pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    pipe.flush();
  }

  private static String script() {
    try (InputStream resource = Guard.class.getResourceAsStream("guard.sh")) {
      if (resource == null) {
        throw new IllegalStateException("guard.sh must be beside " + Guard.class.getName());
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("guard.sh cannot be read", e);
    }
  }
}
