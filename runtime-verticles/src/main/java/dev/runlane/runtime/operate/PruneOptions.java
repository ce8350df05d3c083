package dev.runlane.runtime.operate;

import static dev.runlane.options.OptionTypes.choices;
import static dev.runlane.options.OptionTypes.text;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.ActionOptionTypes;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Which runs a prune removes. Checked by the call, which fails its future with {@code ValidationFailed}. */
public final class PruneOptions extends OptionValues<PruneOptions> {
  private static final OptionSet OPTIONS = OptionSet.of("a prune");
  private static final Option<Duration> AGE =
      OPTIONS.add("olderThan", null, ActionOptionTypes.DURATION);
  private static final Option<Instant> CUTOFF =
      OPTIONS.add("endedBefore", null, ActionOptionTypes.INSTANT);
  private static final Option<Set<RunStatus>> STATUSES =
      OPTIONS.add("statuses", Set.of(), choices(List.of(RunStatus.values()), RunStatus::value));
  private static final Option<Integer> LIMIT = OPTIONS.add("limit", null, whole());
  private static final Option<String> CURSOR = OPTIONS.add("cursor", null, text());

  private PruneOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public PruneOptions(PruneOptions other) {
    super(other);
  }

  /**
   * Options from JSON, with {@code olderThan} or {@code endedBefore}. Throws {@code ConfigurationInvalid} on an unknown
   * key or a malformed value.
   */
  public PruneOptions(JsonObject json) {
    super(OPTIONS, json);
    if (age().isPresent() == cutoff().isPresent()) {
      throw RunlaneException.configurationInvalid("a prune needs either olderThan or endedBefore");
    }
  }

  /** Runs that ended longer ago than {@code age}, which is resolved by the first call and then stays. */
  public static PruneOptions olderThan(Duration age) {
    return new PruneOptions().set(AGE, age);
  }

  /** Runs that ended before {@code cutoff}. */
  public static PruneOptions endedBefore(Instant cutoff) {
    return new PruneOptions().set(CUTOFF, cutoff);
  }

  /** How long ago the runs ended. */
  Optional<Duration> age() {
    return find(AGE);
  }

  /** Before when the runs ended. */
  Optional<Instant> cutoff() {
    return find(CUTOFF);
  }

  /** The statuses whose runs go; empty: all terminal ones. */
  public Set<RunStatus> getStatuses() {
    return get(STATUSES);
  }

  /** Sets the statuses whose runs go, all of them terminal. */
  public PruneOptions setStatuses(Set<RunStatus> statuses) {
    return set(STATUSES, statuses);
  }

  /** The most runs of one call; empty: 500. */
  public Optional<Integer> getLimit() {
    return find(LIMIT);
  }

  /** Sets the most runs of one call, at least 1. */
  public PruneOptions setLimit(int limit) {
    return set(LIMIT, limit);
  }

  /** Where the previous call stopped; empty: the beginning. */
  public Optional<String> getCursor() {
    return find(CURSOR);
  }

  /** Sets where the previous call with the same age or cutoff and statuses stopped. */
  public PruneOptions setCursor(String cursor) {
    return set(CURSOR, cursor);
  }
}
