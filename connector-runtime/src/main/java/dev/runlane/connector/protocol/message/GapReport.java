package dev.runlane.connector.protocol.message;

import dev.runlane.connector.protocol.gap.KnownGap;
import dev.runlane.run.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a connector reports about a gap, as it sent it: neither bounded nor redacted. {@link KnownGap} is
 * the form that is kept. {@link #toString()} shows nothing of it.
 *
 * @param message words for the owner, or null
 * @param hint what may bring the missing part back, or null
 * @param resourceIds the resources that are missing; empty when it names none
 * @param since where the missing time begins, or null
 * @param until where it ends, or null
 * @param diagnostics a JSON value of the connector's choice, or null
 * @param continuation where a later run continues: an object, or null
 */
public record GapReport(
    @Nullable String message,
    @Nullable RecoveryHint hint,
    List<String> resourceIds,
    @Nullable String since,
    @Nullable String until,
    @Nullable Json diagnostics,
    @Nullable Json continuation) {

  /** Copies the list. */
  public GapReport {
    resourceIds = List.copyOf(resourceIds);
  }

  /** A report that says no more than this message, which may be null. */
  public static GapReport of(@Nullable String message) {
    return new GapReport(message, null, List.of(), null, null, null, null);
  }

  @Override
  public String toString() {
    return "GapReport";
  }
}
