package dev.runlane.conformance.race;

import dev.runlane.storage.StorageAdapter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * The methods that write, by what they are raced for: an append that creates a run is another one than one that
 * follows.
 */
enum WriteMethod {
  CREATE,
  FOLLOW,
  RESERVE,
  CLAIM,
  HEARTBEAT,
  RELEASE,
  RESET_KEY,
  PRUNE,
  CLAIM_MESSAGES,
  MARK_PUBLISHED,
  MARK_FAILED,
  MARK_DEAD_LETTERED,
  CLAIM_OCCURRENCE,
  COMPLETE_OCCURRENCE,
  APPEND_ALL(storage -> storage.batch().isPresent()),
  CLAIM_RUNS(storage -> storage.batch().isPresent()),
  CLAIM_STEPS(storage -> storage.steps().isPresent()),
  RESCHEDULE_STEPS(storage -> storage.steps().isPresent()),
  REMOVE_STEPS(storage -> storage.steps().isPresent()),
  RETRY_STEP(storage -> storage.steps().isPresent()),
  PUBLISH_QUEUES(storage -> storage.queueLimits().isPresent());

  /** Methods that are about the same things, for races of more than two. */
  private static final List<List<WriteMethod>> FAMILIES = List.of(
      List.of(CREATE),
      List.of(CREATE, RESET_KEY, PRUNE, APPEND_ALL, FOLLOW),
      List.of(CLAIM),
      List.of(RESERVE),
      List.of(CLAIM, RESERVE, CLAIM_RUNS, CREATE, FOLLOW, HEARTBEAT),
      List.of(CLAIM_RUNS, RESERVE, FOLLOW),
      List.of(FOLLOW, CLAIM, HEARTBEAT, CLAIM_STEPS, APPEND_ALL),
      List.of(CLAIM_MESSAGES, MARK_PUBLISHED, MARK_FAILED, MARK_DEAD_LETTERED, FOLLOW),
      List.of(CLAIM_MESSAGES),
      List.of(CLAIM_RUNS),
      List.of(CLAIM_OCCURRENCE, COMPLETE_OCCURRENCE),
      List.of(CLAIM_STEPS, RESCHEDULE_STEPS, REMOVE_STEPS, RETRY_STEP, FOLLOW));

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that hold nothing
  private final Predicate<StorageAdapter> known;

  WriteMethod() {
    this(storage -> true);
  }

  WriteMethod(Predicate<StorageAdapter> known) {
    this.known = known;
  }

  static List<WriteMethod> of(StorageAdapter storage) {
    return Arrays.stream(values()).filter(each -> each.known.test(storage)).toList();
  }

  static List<List<WriteMethod>> familiesOf(StorageAdapter storage) {
    List<WriteMethod> all = of(storage);
    return FAMILIES.stream()
        .map(family -> family.stream().filter(all::contains).toList())
        .filter(family -> !family.isEmpty())
        .toList();
  }

  /** Each with each, and with itself. */
  static List<List<WriteMethod>> pairsOf(StorageAdapter storage) {
    List<WriteMethod> all = of(storage);
    List<List<WriteMethod>> pairs = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      for (int j = i; j < all.size(); j++) {
        pairs.add(List.of(all.get(i), all.get(j)));
      }
    }
    return pairs;
  }
}
