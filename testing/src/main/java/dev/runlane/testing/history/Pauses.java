package dev.runlane.testing.history;

import dev.runlane.run.RunEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the pauses between attempts out of a history. */
final class Pauses {
  private final List<Duration> pauses = new ArrayList<>();
  private @Nullable Instant ended; // the attempt before, where that was recorded
  private @Nullable Instant claimedUntil; // the latest claim
  private @Nullable Instant leasedUntil; // the attempt before

  private Pauses() {}

  static List<Duration> of(RunHistory history) {
    Pauses reader = new Pauses();
    history.events().forEach(reader::read);
    return List.copyOf(reader.pauses);
  }

  private void read(RunEvent event) {
    if (event instanceof RunEvent.LeaseClaimed claimed) {
      claimedUntil = claimed.lease().expiresAt();
    } else if (event instanceof RunEvent.LeaseHeartbeat heartbeat) {
      leasedUntil = heartbeat.lease().expiresAt();
    } else if (event instanceof RunEvent.RetryScheduled || event instanceof RunEvent.Released) {
      ended = event.header().occurredAt();
    } else if (event instanceof RunEvent.Started) {
      started(event.header().occurredAt());
    }
  }

  private void started(Instant now) {
    Instant from = ended == null ? leasedUntil : ended;
    if (from != null) {
      pauses.add(from.isBefore(now) ? Duration.between(from, now) : Duration.ZERO);
    }
    ended = null;
    leasedUntil = claimedUntil;
  }
}
