package dev.runlane.jobs.postgres.row;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What the row of a job has in its slot while the job holds its deduplication key: the key, or the hash of one that
 * would be too long for an entry of the index beside the name of its queue. Statements say the same as {@code slot_of}.
 */
public final class DeduplicationSlots {
  /** Most bytes of the name and the key together: an entry of a B-tree has at most 2 704, of which 24 are its own. */
  private static final int MOST_BYTES = 2_680;

  /** As a fragment of a statement, of the column {@code deduplication_key} of what {@code of} names in it. */
  static final String SLOT_OF = """
      CASE WHEN octet_length(:queue::text) + octet_length(deduplication_key) <= %s THEN deduplication_key
        ELSE 'sha256 ' || encode(sha256(convert_to(deduplication_key, 'UTF8')), 'hex') END""".formatted(Integer.toString(MOST_BYTES));

  private DeduplicationSlots() {}

  /** The slot of a key. */
  public static String of(String queue, String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    boolean fits = queue.getBytes(StandardCharsets.UTF_8).length + bytes.length <= MOST_BYTES;
    return fits ? key : "sha256 " + HexFormat.of().formatHex(sha256(bytes));
  }

  /** The slot of the key, or null for none. */
  static @Nullable String ofNullable(String queue, @Nullable String key) {
    return key == null ? null : of(queue, key);
  }

  /** The key that a row's slot says it holds, which has the key beside it; or null for none. */
  static @Nullable String keyOf(String queue, @Nullable String slot, @Nullable String key) {
    return slot != null && key != null && slot.equals(of(queue, key)) ? key : slot;
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException impossible) { // every Java platform has it
      throw new IllegalStateException(impossible);
    }
  }
}
