package dev.runlane.drills.jobs;

import dev.runlane.drills.jobs.JobHistory.Call;
import dev.runlane.drills.jobs.JobHistory.Step;
import dev.runlane.jobs.RateLimit;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Holds what happened to jobs to what the store and its workers promise, knowing the promises only.
 *
 * <p>A hand-out lasts from the step that makes a job active to the step that ends it. Where a process was killed that
 * is the step that finds the loss, once the lock has run out: until then the job counts for its group. The order
 * inside a group therefore has no exception: a job is handed out, for the first time or again after a failure, a
 * snooze or a loss, only while fewer jobs of its group that were added before it are open than the group may have
 * active; with one at a time, none.
 */
final class JobRules {
  private final int groupConcurrency;
  private final Map<String, RateLimit> rates;
  private final List<Violation> violations = new ArrayList<>();
  private final Map<String, Track> tracks = new HashMap<>();
  private final Map<String, Integer> active = new HashMap<>(); // by group
  private final Map<String, TreeSet<Long>> open =
      new HashMap<>(); // the places of open jobs, by group
  private final Map<String, List<Instant>> handOuts = new HashMap<>(); // by limited queue

  private JobRules(int groupConcurrency, Map<String, RateLimit> rates) {
    this.groupConcurrency = groupConcurrency;
    this.rates = rates;
  }

  /**
   * What was broken.
   *
   * @param groupConcurrency most active jobs of a group
   * @param rates the limits of queues that have one
   */
  static List<Violation> violations(
      JobHistory history, int groupConcurrency, Map<String, RateLimit> rates) {
    JobRules rules = new JobRules(groupConcurrency, rates);
    history.steps().forEach(rules::step);
    history.calls().forEach(rules::call);
    rules.end();
    return rules.violations;
  }

  private void step(Step step) {
    Track track = tracks.computeIfAbsent(step.jobId(), Track::new);
    if (!Objects.equals(track.state, step.was())) {
      broken(Rule.ONE_OUTCOME, step.jobId(), "went from %s, but was %s", step.was(), track.state);
    }
    if (step.endsHandOut()) {
      endHandOut(track, step);
    }
    if (step.isHandOut()) {
      handOut(track, step);
    }
    if (step.was() == null) {
      openOf(step).add(step.place());
    }
    if (step.isEnd()) {
      openOf(step).remove(step.place());
      track.ends++;
    }
    track.state = step.became();
    track.attemptsMade = step.attemptsMade();
    track.startedAttempts = step.startedAttempts();
    track.stalls = step.stalls();
  }

  private void handOut(Track track, Step step) {
    if (!"waiting".equals(step.was())) {
      broken(Rule.ONE_OUTCOME, step.jobId(), "was handed out while it was %s", step.was());
    }
    if (step.startedAttempts() != track.startedAttempts + 1) {
      broken(
          Rule.ATTEMPTS,
          step.jobId(),
          "hand-out %d follows hand-out %d",
          step.startedAttempts(),
          track.startedAttempts);
    }
    track.handOuts.put(step.startedAttempts(), new HandOut(step));
    if (step.group() != null) {
      String group = group(step);
      int running = active.merge(group, 1, Integer::sum);
      if (running > groupConcurrency) {
        broken(Rule.LIMIT, group, "%d jobs are active with %s", running, step.jobId());
      }
      int before = openOf(step).headSet(step.place()).size();
      if (before >= groupConcurrency) {
        broken(Rule.ORDER, step.jobId(), "overtook %d open jobs of %s", before, group);
      }
    }
    rate(step);
  }

  private void endHandOut(Track track, Step step) {
    active.merge(group(step), -1, Integer::sum);
    HandOut handOut = track.handOuts.get(step.startedAttempts());
    if (handOut == null || !Objects.equals(handOut.begun.token(), step.token())) {
      broken(Rule.ONE_OUTCOME, step.jobId(), "hand-out %d has another end", step.startedAttempts());
      return;
    }
    handOut.end = step;
    int failures = step.attemptsMade() - track.attemptsMade;
    int stalls = step.stalls() - track.stalls;
    boolean completed = "completed".equals(step.became());
    if (failures < 0 || stalls < 0 || failures + stalls + (completed ? 1 : 0) > 1) {
      broken(
          Rule.ATTEMPTS,
          step.jobId(),
          "hand-out %d counts %d failures and %d losses and %s",
          step.startedAttempts(),
          failures,
          stalls,
          step.became());
    }
    handOut.lost = stalls > 0;
  }

  /** Of any {@code max + 1} hand-outs the last is at least a window after the first. */
  private void rate(Step step) {
    if (rates.containsKey(step.queue())) {
      handOuts
          .computeIfAbsent(step.queue(), queue -> new ArrayList<>())
          .add(Objects.requireNonNull(step.processedAt()));
    }
  }

  private void call(Call call) {
    Track track = tracks.get(call.jobId());
    HandOut handOut = track == null ? null : track.handOuts.get(call.attempt());
    if (handOut == null || call.number() < handOut.begun.number()) {
      broken(Rule.ONE_EFFECT, call.jobId(), "was called without its hand-out %d", call.attempt());
      return;
    }
    if (!Objects.equals(handOut.begun.worker(), call.worker())) {
      broken(Rule.ONE_EFFECT, call.jobId(), "was called by %s", call.worker());
    }
    if (!handOut.calls.add(call.ended())) {
      broken(Rule.ONE_EFFECT, call.jobId(), "was called twice in hand-out %d", call.attempt());
    }
    boolean late = handOut.end != null && call.number() > handOut.end.number();
    if (late && !handOut.lost) {
      broken(
          Rule.ONE_EFFECT, call.jobId(), "worked on after the end of hand-out %d", call.attempt());
    }
  }

  private void end() {
    tracks.values().forEach(this::end);
    handOuts.forEach((queue, times) -> {
      RateLimit limit = Objects.requireNonNull(rates.get(queue));
      List<Instant> sorted = times.stream().sorted().toList();
      for (int last = limit.max(); last < sorted.size(); last++) {
        Duration span = Duration.between(sorted.get(last - limit.max()), sorted.get(last));
        if (span.compareTo(limit.duration()) < 0) {
          broken(Rule.RATE, queue, "%d hand-outs within %s", limit.max() + 1, span);
        }
      }
    });
  }

  private void end(Track track) {
    if (track.ends != 1) {
      broken(Rule.TERMINAL, track.jobId, "has ended %d times and is %s", track.ends, track.state);
    }
    for (HandOut handOut : track.handOuts.values()) {
      if (handOut.end == null) {
        broken(Rule.TERMINAL, track.jobId, "hand-out %s has no end", handOut.begun.token());
      } else if (!handOut.lost && handOut.calls.size() < 2 && !isHandedBack(handOut)) {
        broken(
            Rule.EFFECT_OF_SUCCESS,
            track.jobId,
            "ended hand-out %d without its handler",
            handOut.begun.startedAttempts());
      } else if ("completed".equals(handOut.end.became())
          && !Integer.toString(handOut.begun.startedAttempts()).equals(handOut.end.returnvalue())) {
        broken(Rule.ONE_OUTCOME, track.jobId, "has the result of another hand-out");
      }
    }
  }

  /** Fetched too late to be worked on: no handler saw it, nothing was counted, and it waits again. */
  private static boolean isHandedBack(HandOut handOut) {
    Step end = handOut.end;
    return handOut.calls.isEmpty() && end != null && end.returns(handOut.begun);
  }

  private TreeSet<Long> openOf(Step step) {
    return open.computeIfAbsent(group(step), group -> new TreeSet<>());
  }

  private static String group(Step step) {
    return step.queue() + "/" + step.group();
  }

  private void broken(Rule rule, String subject, String found, @Nullable Object... values) {
    violations.add(new Violation(rule, subject, String.format(Locale.ROOT, found, values)));
  }

  /** What is known of one job so far. */
  private static final class Track {
    private final String jobId;
    private final Map<Integer, HandOut> handOuts = new HashMap<>();
    private @Nullable String state;
    private int attemptsMade;
    private int startedAttempts;
    private int stalls;
    private int ends;

    Track(String jobId) {
      this.jobId = jobId;
    }
  }

  /** One hand-out. */
  private static final class HandOut {
    private final Step begun;
    private final Set<Boolean> calls = new HashSet<>(); // false: began, true: ended
    private @Nullable Step end;
    private boolean lost;

    HandOut(Step begun) {
      this.begun = begun;
    }
  }
}
