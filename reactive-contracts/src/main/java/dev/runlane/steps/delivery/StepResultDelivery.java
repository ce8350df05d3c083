package dev.runlane.steps.delivery;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.steps.StepChecks;
import dev.runlane.steps.StepListener;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ClaimStepResults;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.DiscardStepResults;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.ReleaseStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Clock;
import dev.runlane.timing.FutureLoop;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the results of an engine's runs to it, each on its own: one that fails, or that takes long, delays
 * no other. Results of runs the engine does not know are left to whoever does, and deleted only after a long
 * grace; one whose step id no command may name is left where it is.
 *
 * <pre>
 *   look ─► whose runs? ─► claim those ─► receive ─► settle, next attempt with it
 *             │ foreign: passed over        │ failed: comes again, later and later
 * </pre>
 *
 * <p>Any number of processes of one engine may do so at once. All methods are called on one context, and the
 * receiver is called there.
 */
public final class StepResultDelivery {
  private static final Logger LOG = LoggerFactory.getLogger(StepResultDelivery.class);
  private static final Duration SHORTEST_RETRY = Duration.ofSeconds(1);
  private static final Duration SETTLE_AGAIN = Duration.ofMillis(50);
  private static final Duration FOREIGN_REMEMBERED = Duration.ofSeconds(10);
  private static final int MOST_FAILURES_REMEMBERED = 10_000;
  private static final Randomness UNUSED = Randomness.seeded(0); // the back-off has no jitter

  private final StepTransport transport;
  private final StepResultReceiver receiver;
  private final String engineId;
  private final StepDeliveryOptions options;
  private final Clock clock;
  private final Timers timers;
  private final StepPoller poller;
  private final Backoff retry;

  private final Map<String, StepClaim> inFlight = new HashMap<>();
  private final Map<String, Integer> failures =
      new LinkedHashMap<>(); // by step, the eldest forgotten
  private @Nullable Promise<Void> drained; // once stopping
  private @Nullable StepResultRef position; // where the present pass continues
  private @Nullable StepResultRef foreignUpTo; // everything up to here belonged to others
  private boolean onlyForeign = true; // in the present pass so far
  private Instant forgetForeign = Instant.EPOCH;
  private boolean starved; // a look had no free place

  /**
   * A delivery that has not started.
   *
   * @param engineId tells people who claims results
   */
  public StepResultDelivery(
      StepTransport transport,
      StepResultReceiver receiver,
      String engineId,
      StepDeliveryOptions options,
      Clock clock,
      Timers timers) {
    this.transport = transport;
    this.receiver = receiver;
    this.engineId = engineId;
    this.options = new StepDeliveryOptions(options);
    this.clock = clock;
    this.timers = timers;
    this.poller = new StepPoller(
        timers,
        "step result delivery",
        this::poll,
        new StepPauses(
            options.getShortestPause(),
            options.getLongestPause(),
            options.getLongestPauseWithSignals()));
    Duration first =
        SHORTEST_RETRY.compareTo(options.getLease()) < 0 ? SHORTEST_RETRY : options.getLease();
    this.retry = Backoff.exponential(first, options.getLease());
  }

  /** Begins to deliver. */
  public void start() {
    poller.start(transport.signals(), new Results());
  }

  /** Polls at once, for example after a result was recorded in this process. */
  public void wake() {
    poller.wake();
  }

  /** Results may come soon, for example because tasks were dispatched: looks often for a while, unless signals tell. */
  public void pollSoon() {
    poller.pollSoon();
  }

  /**
   * Ends it: nothing is claimed any more, and what a claim under way brings is given back. Completes when the results
   * that are with the engine have been dealt with, at the latest after the lease, whatever the transport answers; what
   * is left then comes again elsewhere.
   */
  public Future<Void> stop() {
    Promise<Void> empty = drained == null ? Promise.promise() : drained;
    drained = empty;
    Future<Void> inOrder = poller.stop().compose(stopped -> {
      completeWhenDrained();
      return empty.future();
    });
    return timers.within(options.getLease(), inOrder, TimeoutException::new).recover(failure -> {
      LOG.warn("step result delivery stops with {} under way", inFlight.size(), failure);
      return Future.succeededFuture();
    });
  }

  /** One look, and all that follows from it but the receiving; for loops of one's own. */
  public Future<StepPoller.PollResult> poll() {
    int free = options.getMostInFlight() - inFlight.size();
    if (free <= 0 || drained != null) {
      starved = true;
      return Future.succeededFuture(StepPoller.PollResult.NOTHING);
    }
    Instant now = clock.now();
    if (position == null) {
      beginPass(now);
    }
    return transport
        .listStepResults(
            new ListStepResults(now, options.getLease(), position, options.getPageSize()))
        .compose(page -> page.isEmpty()
            ? Future.succeededFuture(endPass(StepPoller.PollResult.NOTHING))
            : known(page).compose(known -> take(page, known, free)));
  }

  private void beginPass(Instant now) {
    onlyForeign = true;
    boolean isSetBack = now.isBefore(forgetForeign.minus(FOREIGN_REMEMBERED));
    if (now.isAfter(forgetForeign) || isSetBack) {
      foreignUpTo = null;
      forgetForeign = now.plus(FOREIGN_REMEMBERED);
    }
    position = foreignUpTo;
  }

  private StepPoller.PollResult endPass(StepPoller.PollResult found) {
    position = null;
    return found;
  }

  private Future<Set<String>> known(List<StepResultRef> page) {
    Set<String> runs = page.stream().map(StepResultRef::runId).collect(Collectors.toSet());
    return AdapterCall.of("knownRuns", () -> receiver.knownRuns(runs));
  }

  private Future<StepPoller.PollResult> take(
      List<StepResultRef> page, Set<String> known, int free) {
    List<StepResultRef> ours =
        nameable(page).filter(ref -> known.contains(ref.runId())).toList();
    List<String> wanted = ours.stream()
        .map(StepResultRef::stepId)
        .filter(stepId -> !inFlight.containsKey(stepId))
        .limit(free)
        .toList();
    StepPoller.PollResult found = advance(page, ours, wanted.size() == free && ours.size() > free);
    return discardOld(page, known)
        .compose(discarded -> wanted.isEmpty()
            ? Future.succeededFuture(List.<ClaimedStepResult>of())
            : transport.claimStepResults(
                new ClaimStepResults(wanted, engineId, clock.now(), options.getLease())))
        .compose(claimed -> {
          if (drained != null) {
            return releaseUnstarted(claimed);
          }
          claimed.forEach(this::begin);
          return Future.succeededFuture(
              found == StepPoller.PollResult.NOTHING && !claimed.isEmpty()
                  ? StepPoller.PollResult.SOMETHING
                  : found);
        });
  }

  private static Stream<StepResultRef> nameable(List<StepResultRef> page) {
    return page.stream().filter(ref -> StepChecks.isStepId(ref.stepId()));
  }

  private Future<StepPoller.PollResult> releaseUnstarted(List<ClaimedStepResult> claimed) {
    if (claimed.isEmpty()) {
      return Future.succeededFuture(StepPoller.PollResult.NOTHING);
    }
    List<StepClaim> claims = claimed.stream().map(ClaimedStepResult::claim).toList();
    return transport
        .releaseStepResults(
            new ReleaseStepResults(claims, clock.now(), options.getLease(), Duration.ZERO))
        .map(StepPoller.PollResult.NOTHING);
  }

  /** Where the next look begins, and whether it comes at once. */
  private StepPoller.PollResult advance(
      List<StepResultRef> page, List<StepResultRef> ours, boolean moreThanFree) {
    if (moreThanFree) {
      starved = true;
      return endPass(StepPoller.PollResult.SOMETHING); // a place that gets free looks again
    }
    if (page.size() < options.getPageSize()) {
      return endPass(StepPoller.PollResult.NOTHING);
    }
    position = page.get(page.size() - 1);
    onlyForeign = onlyForeign && ours.isEmpty();
    if (onlyForeign) {
      foreignUpTo = position;
    }
    return StepPoller.PollResult.MORE;
  }

  private Future<Void> discardOld(List<StepResultRef> page, Set<String> known) {
    Instant now = clock.now();
    Instant oldest = now.minus(options.getForeignGrace());
    List<StepResultRef> old = nameable(page)
        .filter(ref -> !known.contains(ref.runId()) && ref.createdAt().isBefore(oldest))
        .toList();
    if (old.isEmpty()) {
      return Future.succeededFuture();
    }
    List<String> ids = old.stream().map(StepResultRef::stepId).toList();
    return transport
        .discardStepResults(new DiscardStepResults(ids, oldest, now, options.getLease()))
        .map(deleted -> {
          LOG.warn(
              "deleted {} results of runs that are not known here, written before {}; one of them is of run {}",
              deleted,
              oldest,
              old.get(0).runId());
          return null;
        });
  }

  private void begin(ClaimedStepResult claimed) {
    StepClaim claim = claimed.claim();
    inFlight.put(claim.stepId(), claim);
    Instant giveUpAt = clock.now().plus(options.getLease());
    AdapterCall.of("receive", () -> receiver.receive(claimed))
        .compose(verdict -> verdict instanceof StepVerdict.Settle settle
            ? settle(new SettleStepResults.Settlement(claim, settle.next()), giveUpAt)
            : Future.succeededFuture())
        .transform((dealt, failure) -> {
          if (failure == null) {
            failures.remove(claim.stepId());
            return Future.<Void>succeededFuture();
          }
          return redeliverLater(claim, failure);
        })
        .onComplete(ended -> end(claim));
  }

  /** Settles, and while a task of the step stands in the way, again until the claim has passed. */
  private Future<Void> settle(SettleStepResults.Settlement settlement, Instant giveUpAt) {
    return FutureLoop.whileTrue(() -> transport
        .settleStepResults(new SettleStepResults(List.of(settlement), clock.now()))
        .compose(outcomes -> {
          SettleOutcome outcome = outcomes.get(0);
          if (outcome == SettleOutcome.BLOCKED && clock.now().isBefore(giveUpAt)) {
            return later().map(true);
          }
          if (outcome != SettleOutcome.SETTLED) {
            LOG.info(
                "the result of step {} was not settled here: {}",
                settlement.claim().stepId(),
                outcome);
          }
          return Future.succeededFuture(false);
        }));
  }

  private Future<Void> later() {
    Promise<Void> waited = Promise.promise();
    timers.schedule(SETTLE_AGAIN, waited::complete);
    return waited.future();
  }

  private Future<Void> redeliverLater(StepClaim claim, Throwable failure) {
    int times = failures.merge(claim.stepId(), 1, Integer::sum);
    forgetEldestFailure();
    Duration retryIn = retry.delay(times, UNUSED);
    LOG.warn(
        "the result of step {} could not be delivered for the {}. time, next in {}",
        claim.stepId(),
        times,
        retryIn,
        failure);
    return transport
        .releaseStepResults(
            new ReleaseStepResults(List.of(claim), clock.now(), options.getLease(), retryIn))
        .recover(second -> {
          LOG.warn(
              "its claim could not be given up and passes after {}", options.getLease(), second);
          return Future.succeededFuture();
        });
  }

  private void forgetEldestFailure() {
    if (failures.size() > MOST_FAILURES_REMEMBERED) {
      failures.remove(failures.keySet().iterator().next());
    }
  }

  private void end(StepClaim claim) {
    inFlight.remove(claim.stepId(), claim);
    if (drained != null) {
      completeWhenDrained();
    } else if (starved) {
      starved = false;
      poller.wake();
    }
  }

  private void completeWhenDrained() {
    if (drained != null && inFlight.isEmpty()) {
      drained.tryComplete();
    }
  }

  private final class Results implements StepListener {
    @Override
    public void onTasks(Set<String> groups) {
      // not for an engine
    }

    @Override
    public void onResults() {
      poller.wake();
    }

    @Override
    public void onPossibleLoss() {
      poller.wake();
    }
  }
}
