package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.drawn.Draw;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;

/** What the commands of one sequence for a job store are drawn from. */
final class JobDraw extends Draw {
  final List<String> queues;
  final List<String> names;
  final List<String> ids;
  final List<String> groups;
  final List<String> keys;
  final List<String> workers;

  /** The window of all rate limits: what a longer one would count may have been forgotten. */
  final Duration window;

  JobDraw(long seed) {
    super(seed);
    this.queues = some("q").stream()
        .filter(each -> each.chars().allMatch(unit -> unit >= ' '))
        .limit(3)
        .toList();
    this.names = some("n").subList(0, 3);
    this.ids = some("i").subList(0, 6);
    this.groups = some("g").subList(0, 3);
    this.keys = List.of(some("k").get(0), "k".repeat(512));
    this.workers = some("w").subList(0, 2);
    this.window = anyOf(List.of(
        Duration.ofMillis(1), Duration.ofSeconds(1), Duration.ofSeconds(20), Duration.ofDays(1)));
    begin();
  }

  /** Of the alphabet, among them sometimes the longest that is allowed. */
  private List<String> some(String unit) {
    return inAnyOrder(
        Stream.concat(ALPHABET.stream(), Stream.of(unit.repeat(255))).toList());
  }

  /** The queue that most of a sequence happens in, or another. */
  String queue() {
    return oneIn(4) ? anyOf(queues) : queues.get(0);
  }

  /** Whole milliseconds, at least one. */
  Duration millis() {
    return Duration.ofMillis(Math.max(1, shortTime().toMillis()));
  }

  /** An instant around this one, which is cut to milliseconds somewhere. */
  Instant around(Instant instant) {
    return oneIn(3)
        ? instant.minus(millis())
        : oneIn(3) ? instant.truncatedTo(ChronoUnit.MILLIS) : after(instant);
  }
}
