package dev.runlane.storage.memory.run;

import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.Cursors;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * A place in a list by time, in which equal instants are told apart by id.
 *
 * @param at the instant the list is ordered by
 * @param id what tells equal instants apart
 */
public record Position(Instant at, String id) implements Comparable<Position> {
  private static final Comparator<Position> ORDER =
      Comparator.comparing(Position::at).thenComparing(Position::id, Identifiers.ORDER);

  /** Before everything that is later than {@code instant}, after everything that is not. */
  public static Position justAfter(Instant instant) {
    return new Position(instant.plusNanos(1), "");
  }

  /** The place that {@link #toParts()} wrote down. Fails with {@code ValidationFailed} when it is none. */
  public static Position ofParts(List<String> parts) {
    Instant at = Cursors.instant(parts.get(0));
    try {
      return new Position(at, URLDecoder.decode(parts.get(1), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException malformed) {
      throw RunlaneException.validationFailed("the cursor is malformed").causedBy(malformed);
    }
  }

  /** For a cursor. Ids are opaque and may hold line feeds, which a cursor's parts must not. */
  public String[] toParts() {
    return new String[] {at.toString(), URLEncoder.encode(id, StandardCharsets.UTF_8)};
  }

  @Override
  public int compareTo(Position other) {
    return ORDER.compare(this, other);
  }
}
