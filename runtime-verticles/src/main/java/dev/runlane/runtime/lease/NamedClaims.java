package dev.runlane.runtime.lease;

import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.storage.BatchStorage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Claims runs that wakeups name, for many callers with few commands: what is asked for while a claim is under way goes
 * together into the next, one queue in each, and where that was for many, the next one waits a moment for as many. Of
 * queues without a limit only, and only where the storage serves many commands at once. Touched on the home context
 * only.
 */
public final class NamedClaims {
  private static final int MOST_RUNS = 200;
  private static final int MOST_WAITING = 100_000;

  /** A claim for fewer runs costs too little to be waited for. */
  private static final int FEWEST_GATHERED = 16;

  /** How long one waits at most for others, where the last claim was for many. */
  private static final Duration GATHER = Duration.ofMillis(5);

  private final RuntimeContext context;
  private final Claims claims;
  private final String workerId;
  private final Map<String, QueuePolicy> queues;
  private final Runnable answered;
  private final Map<Wanted, Promise<Optional<Claims.ClaimedRun>>> waiting = new LinkedHashMap<>();
  private boolean isUnderWay;
  private boolean isGathering;
  private boolean isAnswering;
  private int lastRuns;

  /**
   * @param queues those that the worker serves; those with a limit are left out
   * @param answered is run when all callers of a claim have their answers
   */
  public NamedClaims(
      RuntimeContext context,
      Claims claims,
      String workerId,
      List<QueuePolicy> queues,
      Runnable answered) {
    this.context = context;
    this.claims = claims;
    this.workerId = workerId;
    this.answered = answered;
    this.queues = queues.stream()
        .filter(queue -> !queue.isBounded())
        .collect(Collectors.toUnmodifiableMap(QueuePolicy::queue, queue -> queue));
  }

  /** Whether runs of this queue can be claimed so. */
  public boolean serves(String queue) {
    return queues.containsKey(queue) && context.batch().isPresent();
  }

  /**
   * Claims this run if it is due in this queue, which is served, and starts its next attempt. Empty where it was not
   * claimed, for whatever reason; it may still be claimed as it is read. Fails as the storage does, and while the clock
   * of this process is not to be trusted.
   */
  public Future<Optional<Claims.ClaimedRun>> claim(String queue, String runId) {
    Promise<Optional<Claims.ClaimedRun>> answer = Promise.promise();
    if (waiting.size() >= MOST_WAITING
        || waiting.putIfAbsent(new Wanted(queue, runId), answer) != null) {
      return Future.succeededFuture(Optional.empty()); // too many, or it has come twice
    }
    sendOrGather();
    return answer.future();
  }

  /** Whether this turn gives callers of a claim their answers, and more may come. */
  public boolean isAnswering() {
    return isAnswering;
  }

  /** Fails those of which no claim has been sent. */
  public void cancel(RunlaneException cancelled) {
    List<Promise<Optional<Claims.ClaimedRun>>> unsent = List.copyOf(waiting.values());
    waiting.clear();
    unsent.forEach(asker -> asker.fail(cancelled));
  }

  private void sendOrGather() {
    if (isUnderWay || waiting.isEmpty()) {
      return;
    }
    if (lastRuns < FEWEST_GATHERED || waiting.size() >= lastRuns) {
      send();
    } else if (!isGathering) {
      isGathering = true;
      context.timers().schedule(GATHER, () -> {
        isGathering = false;
        if (!isUnderWay && !waiting.isEmpty()) {
          send();
        }
      });
    }
  }

  private void send() {
    String queue = waiting.keySet().iterator().next().queue();
    context.batch().ifPresent(batch -> send(batch, queue, take(queue)));
  }

  private Map<String, Promise<Optional<Claims.ClaimedRun>>> take(String queue) {
    Map<String, Promise<Optional<Claims.ClaimedRun>>> taken = new LinkedHashMap<>();
    Iterator<Map.Entry<Wanted, Promise<Optional<Claims.ClaimedRun>>>> entries =
        waiting.entrySet().iterator();
    while (entries.hasNext() && taken.size() < MOST_RUNS) {
      Map.Entry<Wanted, Promise<Optional<Claims.ClaimedRun>>> entry = entries.next();
      if (entry.getKey().queue().equals(queue)) {
        taken.put(entry.getKey().runId(), entry.getValue());
        entries.remove();
      }
    }
    return taken;
  }

  private void send(
      BatchStorage batch, String queue, Map<String, Promise<Optional<Claims.ClaimedRun>>> askers) {
    isUnderWay = true;
    lastRuns = askers.size();
    QueuePolicy policy = Objects.requireNonNull(queues.get(queue));
    claims
        .claimNamed(batch, policy, workerId, List.copyOf(askers.keySet()))
        .onComplete((claimed, failure) -> {
          isUnderWay = false;
          if (failure == null) {
            answer(askers, claimed);
          } else {
            askers.values().forEach(asker -> asker.fail(failure));
          }
          sendOrGather();
        });
  }

  private void answer(
      Map<String, Promise<Optional<Claims.ClaimedRun>>> askers, Claims.Claimed claimed) {
    Map<String, RunRecord> mine = claimed.runs().stream()
        .collect(Collectors.toMap(RunRecord::id, run -> run, (run, again) -> run));
    isAnswering = true;
    askers.forEach((runId, asker) -> asker.complete(Optional.ofNullable(mine.get(runId))
        .map(run -> new Claims.ClaimedRun(run, claimed.sentAt()))));
    isAnswering = false;
    answered.run();
  }

  private record Wanted(String queue, String runId) {}
}
