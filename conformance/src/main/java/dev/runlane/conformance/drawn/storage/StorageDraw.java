package dev.runlane.conformance.drawn.storage;

import dev.runlane.conformance.drawn.Draw;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.QueuePolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** What the commands of one sequence for a storage are drawn from. */
final class StorageDraw extends Draw {
  private static final List<String> ENVIRONMENTS =
      List.of("a", "A", "a ", "ab", "\u00e4", "a\u0308");

  final List<Environment> environments;
  final List<String> tasks;
  final List<String> runIds;
  final List<String> keys;
  final List<String> workers;
  final List<String> actions;

  /** Of documents, tasks and alerts. */
  final List<String> titles;

  private final List<QueuePolicy> queues;
  private final Set<String> everBounded = new HashSet<>();
  private final Set<String> everUnbounded = new HashSet<>();
  private final List<String> keysOfTags;

  /** Whether queues get and lose limits on the way; else only the limits change. */
  final boolean rebinds;

  StorageDraw(long seed, boolean rebinds) {
    super(seed);
    this.rebinds = rebinds;
    this.environments =
        inAnyOrder(ENVIRONMENTS).subList(0, 2).stream().map(Environment::new).toList();
    this.tasks = names(3);
    List<String> ids = new ArrayList<>(names(10));
    ids.addAll(TWO_ORDERS);
    this.runIds = inAnyOrder(ids).stream().distinct().toList();
    List<String> some = new ArrayList<>(names(4));
    some.add("k".repeat(512));
    this.keys = inAnyOrder(some).subList(0, 3);
    this.keysOfTags =
        names(12).stream().filter(text -> text.length() < 10).limit(3).toList();
    this.workers = names(2);
    this.actions = names(4);
    this.titles =
        Stream.concat(TWO_ORDERS.stream(), actions.stream()).distinct().toList();
    this.queues = new ArrayList<>();
    for (String queue : names(4)) {
      queues.add(known(drawn(queue)));
    }
    begin();
  }

  /** The queues with their limits of now. */
  List<QueuePolicy> queues() {
    return List.copyOf(queues);
  }

  QueuePolicy policy(String queue) {
    return queues.stream()
        .filter(each -> each.queue().equals(queue))
        .findFirst()
        .orElseGet(() -> QueuePolicy.unbounded(queue));
  }

  /** Another deployment gives a queue another limit. */
  void changeALimit() {
    int index = upTo(queues.size());
    QueuePolicy before = queues.get(index);
    QueuePolicy after = drawn(before.queue());
    if (rebinds || before.isBounded() == after.isBounded()) {
      queues.set(index, known(after));
    }
  }

  private QueuePolicy known(QueuePolicy policy) {
    (policy.isBounded() ? everBounded : everUnbounded).add(policy.queue());
    return policy;
  }

  /** Some caller takes queues with a limit for ones without. */
  void doubtLimits() {
    queues.forEach(queue -> everUnbounded.add(queue.queue()));
  }

  /** Queues that have a limit and always had one, as everybody says. */
  List<String> boundedQueues() {
    return queues.stream()
        .map(QueuePolicy::queue)
        .filter(queue -> !everUnbounded.contains(queue))
        .toList();
  }

  /** Queues that have no limit and never had one. */
  List<String> unboundedQueues() {
    return queues.stream()
        .map(QueuePolicy::queue)
        .filter(queue -> !everBounded.contains(queue))
        .toList();
  }

  private QueuePolicy drawn(String queue) {
    return oneIn(2) ? QueuePolicy.unbounded(queue) : QueuePolicy.bounded(queue, 1 + upTo(3));
  }

  /** Any, those two often whose order hangs on what is compared. */
  String runId() {
    return oneIn(3) ? anyOf(TWO_ORDERS) : anyOf(runIds);
  }

  /** The environment that most of a sequence happens in, or the other one. */
  Environment environment() {
    return environments.get(oneIn(5) ? 1 : 0);
  }

  /** None mostly; those that are drawn differ in one thing from others. */
  Map<String, String> tags() {
    return oneIn(2) ? Map.of() : someTags();
  }

  /** One tag or two. */
  Map<String, String> someTags() {
    Map<String, String> tags = new HashMap<>();
    tags.put(anyOf(keysOfTags), anyOf(keysOfTags));
    if (oneIn(2)) {
      tags.put(anyOf(keysOfTags), anyOf(keysOfTags));
    }
    return tags;
  }

  FailureRecord failure() {
    return new FailureRecord(
        anyOf(List.of(ErrorCode.TASK_FAILED, ErrorCode.INTERNAL_ERROR)),
        anyOf(List.of("", "Task failed.", "\u00e4\ud83d\ude00\n'")),
        oneIn(2),
        metaOrNull());
  }
}
