package dev.runlane.runtime.alert;

import java.time.Instant;
import java.util.List;

/**
 * When the rules were looked at last.
 *
 * @param at when that began
 * @param channels who the process that did can tell
 */
public record LastPass(Instant at, List<String> channels) {
  /** Copies the list. */
  public LastPass {
    channels = List.copyOf(channels);
  }
}
