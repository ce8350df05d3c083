package dev.runlane.steps.sql.mysql;

import dev.runlane.run.RunlaneException;
import java.nio.charset.StandardCharsets;

/**
 * How long a statement may be. A server answers a longer one by closing the connection, which looks like an
 * outage, so what cannot fit is refused before.
 */
final class MysqlPacket {
  private static final long ROOM_FOR_THE_REST = 64 * 1024;
  private static final int MOST_CHARACTERS = 1 << 20;
  private static final int BYTES_A_CHARACTER = 3; // a pair of surrogates has four

  private volatile long mostBytes = MOST_CHARACTERS;

  void limitTo(long packetBytes) {
    mostBytes = packetBytes - Math.min(packetBytes / 2, ROOM_FOR_THE_REST);
  }

  /** Throws {@code ValidationFailed} for a text that no statement can carry. */
  void require(String stepId, String text) {
    if ((long) text.length() * BYTES_A_CHARACTER <= mostBytes) {
      return;
    }
    long bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > mostBytes) {
      throw RunlaneException.validationFailed(
          "the server takes %d bytes, and step %s has %d", mostBytes, stepId, bytes);
    }
  }

  /** Characters that many rows may have together. */
  int maxCharacters() {
    return (int) Math.min(MOST_CHARACTERS, mostBytes / BYTES_A_CHARACTER);
  }
}
