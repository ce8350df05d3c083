package dev.runlane.storage.pg.notify;

import dev.runlane.run.Environment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names of NOTIFY channels: one for each schema and environment, which may be any text. */
public final class NotifyChannel {
  private NotifyChannel() {}

  public static String wakeups(String schema, Environment environment) {
    return "runlane_" + hash(schema, environment);
  }

  static String cancellations(String schema, Environment environment) {
    return "runlane_cancel_" + hash(schema, environment);
  }

  private static String hash(String schema, Environment environment) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(schema.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) ':');
      digest.update(environment.environmentKey().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest.digest(), 0, 8);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }
}
