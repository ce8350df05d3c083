package dev.runlane.runtime.observe;

import java.util.List;

/**
 * The outcomes of a process that its storage refuses, as {@code Runlane.refusedOutcomes} shows them.
 *
 * @param outcomes those that are offered again, the one that was refused first at the beginning
 * @param places how many outcomes the workers of the process may have waiting before they take no run any more: as many
 *     as they have slots
 */
public record RefusedOutcomes(List<RefusedOutcome> outcomes, int places) {
  /** Copies the list. */
  public RefusedOutcomes {
    outcomes = List.copyOf(outcomes);
  }

  /** Whether they have the places of all runs that the process could take. */
  public boolean takeAllPlaces() {
    return places > 0 && outcomes.size() >= places;
  }
}
