package dev.runlane.connector.process;

import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Whom a child runs as, where that is not the controller's own user.
 *
 * @param name as the machine knows it
 * @param uid its number
 * @param gid the number of its own group
 * @param home its home folder
 */
public record ChildUser(String name, int uid, int gid, String home) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,63}");
  private static final Duration ANSWERS_WITHIN =
      Duration.ofSeconds(20); // it may ask another machine
  private static final int FIELDS = 7; // of a line of passwd(5)

  /**
   * The user of this machine with this name; asks {@code getent}, and blocks. Throws {@code ConfigurationInvalid} for
   * one that the machine does not know.
   */
  public static ChildUser named(String name) {
    if (!isName(name)) {
      throw RunlaneException.configurationInvalid("a user's name must match %s", NAME);
    }
    String[] entry = passwdEntry(name).split(":", -1);
    if (entry.length != FIELDS) {
      throw RunlaneException.configurationInvalid("this machine knows no user %s", name);
    }
    return new ChildUser(
        entry[0], Integer.parseInt(entry[2]), Integer.parseInt(entry[3]), entry[5]);
  }

  /** Whether a user can be called so. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  private static String passwdEntry(String name) {
    ProcessBuilder builder =
        new ProcessBuilder("getent", "passwd", name).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    try {
      Process getent = builder.start();
      getent.getOutputStream().close();
      if (!getent.waitFor(ANSWERS_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
        getent.destroyForcibly();
        throw RunlaneException.configurationInvalid(
            "getent did not find the user %s within %s", name, ANSWERS_WITHIN);
      }
      return new String(getent.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException missing) {
      throw RunlaneException.configurationInvalid(
              "a connector's user is looked up with getent, which is not there")
          .causedBy(missing);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw RunlaneException.configurationInvalid("the user %s was not looked up: stopped", name);
    }
  }
}
