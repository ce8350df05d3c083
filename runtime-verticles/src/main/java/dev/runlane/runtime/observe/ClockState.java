package dev.runlane.runtime.observe;

import java.time.Duration;

/**
 * How the clock of a process stands to that of its storage.
 *
 * @param ahead how far it is ahead; negative: behind; zero also where the storage shows no clock or has not been
 *     asked yet
 * @param tolerated what it may be off by
 */
public record ClockState(Duration ahead, Duration tolerated) {
  /** Whether the clocks agree; a process whose clock does not takes no leases and does no maintenance. */
  public boolean agrees() {
    return ahead.abs().compareTo(tolerated) <= 0;
  }
}
