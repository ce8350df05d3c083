package dev.runlane.connector.process;

import dev.runlane.connector.process.os.ProcessIdentity;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The mark in the environment of all processes of a run. It follows from the controller's process and the run id,
 * so that who knows these, from a database, finds what was left.
 */
final class ChildMarks {
  private static final int DIGITS = 24;

  private ChildMarks() {}

  static String value(ProcessIdentity controller, String runId) {
    return startOfValue(controller) + hash(runId);
  }

  /** As it stands in the environment. */
  static String variable(ProcessIdentity controller, String runId) {
    return ChildEnvironment.MARKER + "=" + value(controller, runId);
  }

  /** With what the variables of all runs of the controller begin. */
  static String startOfVariable(ProcessIdentity controller) {
    return ChildEnvironment.MARKER + "=" + startOfValue(controller);
  }

  private static String startOfValue(ProcessIdentity controller) {
    return hash(controller.toString()) + ".";
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest).substring(0, DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256, but this one does not", e);
    }
  }
}
