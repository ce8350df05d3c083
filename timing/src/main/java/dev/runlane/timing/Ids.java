package dev.runlane.timing;

import dev.runlane.run.RunlaneException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Makes ids. Those of the instance methods are a prefix and 26 characters that sort by time:
 *
 * <pre>
 *   run_ 01k9p4w3e8 r2m6x0c7d1h5t9fz
 *        48 bits:   80 random bits,
 *        millis     plus one for every further id of the same millisecond
 * </pre>
 *
 * in the lower-case alphabet of <a href="https://www.crockford.com/base32.html">Crockford's base 32</a>
 * (no i, l, o, u). The 26 characters of one instance strictly increase in order of creation, whatever the
 * prefix, also within a millisecond and when the clock goes back; so a process makes one instance and
 * shares it. Safe for use by any thread, and no thread waits for another.
 *
 * <p>The static methods hash their parts, so that whoever computes an id from the same parts finds the
 * same id. No id holds a {@code ':'}, and none is to be parsed.
 */
public final class Ids {
  private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
  private static final int TIME_ORDERED_LENGTH = 26;
  private static final long LATEST_MILLIS = (1L << 48) - 1;

  private final Clock clock;
  private final Randomness randomness;
  private final AtomicReference<@Nullable Bits> last =
      new AtomicReference<>(); // null before the first id

  /** Ids whose time is that of {@code clock}, which may go back. */
  public Ids(Clock clock, Randomness randomness) {
    this.clock = Objects.requireNonNull(clock, "clock");
    this.randomness = Objects.requireNonNull(randomness, "randomness");
  }

  /** A new run id: {@code run_} and 26 time-ordered characters. */
  public String runId() {
    return "run_" + timeOrdered();
  }

  /** A new outbox message id: {@code msg_} and 26 time-ordered characters. */
  public String outboxMessageId() {
    return "msg_" + timeOrdered();
  }

  /** A new token that proves the ownership of a lease or a claim: {@code tok_} and 26 time-ordered characters. */
  public String token() {
    return "tok_" + timeOrdered();
  }

  /** A new worker id: {@code wrk_} and 26 time-ordered characters. */
  public String workerId() {
    return "wrk_" + timeOrdered();
  }

  /**
   * The id of the run that a schedule makes for one fire: {@code run_} and 64 characters that depend on
   * the parts and their order alone.
   *
   * @param scope at least one part, such as environment, schedule and fire time; none may be null
   */
  public static String scheduleRunId(String... scope) {
    return "run_" + hash("schedule_run", scope);
  }

  /**
   * The id of the run that recovers a failed one, whoever asks for it: {@code run_} and 64 characters that depend on
   * the failed run's id alone.
   */
  public static String retryRunId(String failedRunId) {
    return "run_" + hash("retry_run", failedRunId);
  }

  /**
   * The id of one fire of a schedule: 64 characters that depend on the parts and their order alone.
   *
   * @param scope at least one part, such as environment, schedule and fire time; none may be null
   */
  public static String occurrenceId(String... scope) {
    return hash("schedule_occurrence", scope);
  }

  private String timeOrdered() {
    long millis = Math.min(LATEST_MILLIS, Math.max(0, clock.now().toEpochMilli()));
    Bits fresh = new Bits((millis << 16) | (randomness.nextLong() & 0xffff), randomness.nextLong());
    Bits made = last.updateAndGet(
        before -> before == null || fresh.millis() > before.millis() ? fresh : before.plusOne());
    return Objects.requireNonNull(made).text();
  }

  private static String hash(String kind, String... scope) {
    if (scope.length == 0) {
      throw RunlaneException.validationFailed(
          "the id of a %s needs at least one part of scope, but has none", kind);
    }
    MessageDigest digest = sha256();
    update(digest, kind);
    for (String part : scope) {
      update(digest, part);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** The length goes first, so that no two lists of parts make the same bytes. */
  private static void update(MessageDigest digest, String part) {
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + Character.BYTES * part.length());
    bytes.putInt(part.length()).asCharBuffer().put(part);
    digest.update(bytes.array());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256, but this one does not", e);
    }
  }

  /** One number of 128 bits: 48 of millis, then 80 that begin at random. */
  private record Bits(long high, long low) {
    long millis() {
      return high >>> 16;
    }

    /** Carries into the millis once the 80 bits are used up, which keeps the order. */
    Bits plusOne() {
      return new Bits(low == -1 ? high + 1 : high, low + 1);
    }

    String text() {
      char[] text = new char[TIME_ORDERED_LENGTH];
      long restHigh = high;
      long restLow = low;
      for (int i = TIME_ORDERED_LENGTH - 1; i >= 0; i--) {
        text[i] = ALPHABET.charAt((int) (restLow & 31));
        restLow = restLow >>> 5 | restHigh << 59;
        restHigh >>>= 5;
      }
      return new String(text);
    }
  }
}
