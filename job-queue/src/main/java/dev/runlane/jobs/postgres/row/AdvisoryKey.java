package dev.runlane.jobs.postgres.row;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Numbers of advisory locks and names of channels, made of names of any length. */
public final class AdvisoryKey {
  private static final String CHANNEL = "runlane_jobs_";

  private AdvisoryKey() {}

  public static long of(String... parts) {
    return ByteBuffer.wrap(hash(parts)).getLong();
  }

  public static String channel(String schema, String queue) {
    return CHANNEL + HexFormat.of().formatHex(hash(schema, queue), 0, Long.BYTES);
  }

  private static byte[] hash(String... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String part : parts) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length).array());
        digest.update(bytes);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }
}
