package dev.runlane.storage.pg.write;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How many partitions of a bounded queue the next claim looks at, and from where on: as many as seem to have room for
 * what is wanted, going by those looked at last, because each costs the server about as much as a claimed run. A claim
 * of few runs, which is in the order of due times, looks at all partitions of a queue that has not very many.
 */
final class PartitionWalks {
  static final int MOST_PARTITIONS = 256;
  static final int FEWEST_PARTITIONS = 32;
  static final int FEWEST_PARTITIONS_IN_ORDER = 100;

  private static final String FIRST_PARTITION = "";

  private final Map<String, Round> rounds = new ConcurrentHashMap<>();

  /** Where the next claim of so many runs of a queue looks; in order: whether those due longest come first. */
  Reach next(String queue, int wanted, boolean inOrder) {
    Round round = rounds.getOrDefault(queue, Round.FIRST);
    if (inOrder && !round.isWide()) {
      return new Reach(round.from(), MOST_PARTITIONS);
    }
    double likely = Math.ceil(1.5 * wanted * round.partitionsPerRun());
    int fewest = inOrder ? FEWEST_PARTITIONS_IN_ORDER : FEWEST_PARTITIONS;
    return new Reach(round.from(), (int) Math.min(MOST_PARTITIONS, Math.max(fewest, likely)));
  }

  /**
   * Takes in how a claim went.
   *
   * @param enough whether it found as many runs as were wanted
   */
  void note(Claims.Walk walk, boolean enough) {
    rounds.compute(walk.queue(), (queue, before) -> Objects.requireNonNullElse(before, Round.FIRST)
        .after(walk, enough));
  }

  /** Whether the last whole round over the partitions of a queue met runs that could be claimed. */
  boolean hasFound(String queue) {
    return rounds.getOrDefault(queue, Round.FIRST).foundBefore();
  }

  /**
   * A stretch of the partitions of a queue, in their order.
   *
   * @param from the first partition or, where there is none of that name, the next one
   * @param steps most partitions
   */
  record Reach(String from, int steps) {
    /** Whether it begins with the first partition of all. */
    boolean isBeginning() {
      return from.equals(FIRST_PARTITION);
    }
  }

  /**
   * What is known of a queue.
   *
   * @param seen partitions looked at since the beginning of the round
   * @param isWide whether the last whole round, or this one by now, saw more partitions than one claim looks at
   * @param partitionsPerRun how many partitions it takes to find a run that may be claimed
   * @param found whether this round met runs that could be claimed
   * @param foundBefore the same of the last whole round
   */
  private record Round(
      String from,
      long seen,
      boolean isWide,
      double partitionsPerRun,
      boolean found,
      boolean foundBefore) {
    static final Round FIRST = new Round(FIRST_PARTITION, 0, false, MOST_PARTITIONS, false, false);

    Round after(Claims.Walk walk, boolean enough) {
      long sum = (walk.reach().isBeginning() ? 0 : seen) + walk.partitions();
      double perRun = walk.room() == 0 ? MOST_PARTITIONS : (double) walk.partitions() / walk.room();
      boolean foundNow = found || walk.room() > 0;
      if (walk.isCutShort()) {
        return new Round(
            Objects.requireNonNull(walk.last()),
            sum,
            isWide || sum >= MOST_PARTITIONS,
            enough ? perRun : Math.max(perRun, 2 * partitionsPerRun),
            foundNow,
            foundBefore);
      }
      return new Round(FIRST_PARTITION, 0, sum >= MOST_PARTITIONS, perRun, false, foundNow);
    }
  }
}
