package dev.runlane.simulation.network;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Randomness;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One consumer of the group in one life of a process: has its worker execute what it takes from its partitions, and
 * commits each of them up to the first record that is not settled.
 */
public final class GroupMember {
  private static final Duration BEAT = Duration.ofSeconds(3);
  private static final Duration COMMIT_PAUSE = Duration.ofMillis(500);
  private static final Duration AWAY_PAUSE = Duration.ofSeconds(1);
  private static final int MOST_IN_FLIGHT = 16;
  private static final int MOST_ATTEMPTS = 10;
  private static final int MOST_FUTILE_ATTEMPTS = 3;
  private static final Backoff REST =
      Backoff.exponential(Duration.ofMillis(500), Duration.ofSeconds(30));
  private static final Randomness NO_JITTER = Randomness.seeded(0);

  private final Broker broker;
  private final VirtualTime time;
  private final Lifetime life;
  private final Faults faults;
  private final Trace trace;
  private final DeliveryWorker worker;
  private final Broker.Delivered delivered;
  private final Map<Partition, Assignment> owned = new LinkedHashMap<>();
  private final Set<VirtualTime.Step> resting = new LinkedHashSet<>();
  private VirtualTime.@Nullable Step heartbeat;
  private VirtualTime.@Nullable Step commit;
  private VirtualTime.@Nullable Step look;
  private int inFlight;
  private long lastTold;
  private long lastSent;
  private boolean stopping;

  GroupMember(
      Broker broker,
      VirtualTime time,
      Lifetime life,
      Faults faults,
      Trace trace,
      DeliveryWorker worker,
      Broker.Delivered delivered) {
    this.broker = broker;
    this.time = time;
    this.life = life;
    this.faults = faults;
    this.trace = trace;
    this.worker = worker;
    this.delivered = delivered;
  }

  Lifetime life() {
    return life;
  }

  /** Joins the group. */
  public void start() {
    join();
    beat();
  }

  /** Takes nothing more, stops the worker, commits what is settled, and leaves. */
  public Future<Void> stop() {
    stopping = true;
    resting.forEach(VirtualTime.Step::cancel);
    cancel(look);
    Promise<Void> left = Promise.promise();
    worker.stop().onComplete(stopped -> time.after(0, life, () -> leave(left)));
    return left.future();
  }

  /** A partition is this member's. */
  void assigned(Partition partition, int epoch, int from) {
    if (!stopping) {
      owned.put(partition, new Assignment(partition, epoch, from));
      takeMore();
    }
  }

  /** A partition is to be another's: what is settled is committed before it goes, and nothing begins any more. */
  void revoked(Partition partition, int epoch) {
    Assignment assignment = owned.get(partition);
    if (assignment != null && assignment.epoch() == epoch) {
      owned.remove(partition);
      int offset = assignment.committable();
      assignment.revoke();
      time.after(broker.trip(), Lifetime.WORLD, () -> {
        broker.commit(this, partition, epoch, offset);
        broker.released(this, partition, epoch);
      });
    } else {
      time.after(broker.trip(), Lifetime.WORLD, () -> broker.released(this, partition, epoch));
    }
  }

  /** Its partitions are others' already. */
  void thrownOut() {
    owned.values().forEach(Assignment::revoke);
    owned.clear();
    if (!stopping) {
      trace.note(life, "finds that it was thrown out of the group");
      join();
    }
  }

  /** Begins what is there, as far as there is room. */
  void takeMore() {
    if (stopping || look != null) {
      return;
    }
    if (owned.values().stream().noneMatch(Assignment::hasMore)) {
      return;
    }
    if (faults.hits(Kind.TRANSPORT_AWAY, time.now(), life.process())) {
      look = time.after(VirtualTime.micros(AWAY_PAUSE), life, () -> {
        look = null;
        takeMore();
      });
      return;
    }
    for (Assignment assignment : List.copyOf(owned.values())) {
      while (inFlight < MOST_IN_FLIGHT && assignment.hasMore()) {
        execute(assignment, assignment.take(), Tries.NONE);
      }
    }
  }

  /** Tells this member, over a connection that keeps the order. */
  void tell(Runnable action) {
    lastTold = Math.max(lastTold, time.now() + broker.trip());
    time.after(lastTold - time.now(), life, action);
  }

  private void toBroker(Runnable action) {
    lastSent = Math.max(lastSent, time.now() + broker.trip());
    time.after(lastSent - time.now(), Lifetime.WORLD, action);
  }

  private void join() {
    toBroker(() -> {
      if (!life.isOver()) {
        broker.join(this);
      }
    });
  }

  private void beat() {
    if (!faults.hits(Kind.CONSUMER_SILENT, time.now(), life.process())) {
      toBroker(() -> broker.heard(this));
    }
    heartbeat = time.after(VirtualTime.micros(BEAT), life, this::beat);
  }

  private void execute(Assignment assignment, int offset, Tries tries) {
    inFlight++;
    DeliveryMessage message = assignment.partition().entry(offset).message();
    if (trace.isOn()) {
      trace.note(
          life, "takes " + message.runId() + ", " + offset + " of " + assignment.partition());
    }
    worker
        .executeDelivery(message)
        .onComplete(result -> time.after(0, life, () -> {
          inFlight--;
          dealt(assignment, offset, tries, result);
          takeMore();
        }));
  }

  private void dealt(
      Assignment assignment, int offset, Tries before, AsyncResult<DeliveryResult> result) {
    DeliveryMessage message = assignment.partition().entry(offset).message();
    if (result.succeeded()) {
      delivered.acknowledged().accept(message, result.result());
      settle(assignment, offset);
    } else if (!stopping && !assignment.isRevoked()) {
      Tries tries = before.after(result.cause());
      if (tries.areHopeless(result.cause())) {
        trace.note(life, "gives up the wakeup of " + message.runId());
        delivered.buried().accept(message);
        settle(assignment, offset);
      } else {
        retryLater(assignment, offset, tries, tries.pauses(result.cause()));
      }
    }
  }

  private void retryLater(Assignment assignment, int offset, Tries tries, int pauses) {
    long pause = VirtualTime.micros(REST.delay(pauses, NO_JITTER));
    VirtualTime.Step[] step = new VirtualTime.Step[1];
    step[0] = time.after(pause, life, () -> {
      resting.remove(step[0]);
      if (!assignment.isRevoked()) {
        execute(assignment, offset, tries);
      }
    });
    resting.add(step[0]);
  }

  private void settle(Assignment assignment, int offset) {
    assignment.settle(offset);
    if (assignment.isDirty() && commit == null) {
      commit = time.after(VirtualTime.micros(COMMIT_PAUSE), life, this::commitAll);
    }
  }

  private void commitAll() {
    commit = null;
    boolean isRefused = faults.hits(Kind.COMMIT_REFUSED, time.now(), life.process());
    for (Assignment assignment : owned.values()) {
      if (assignment.isDirty() && !isRefused) {
        assignment.committing();
        send(assignment);
      }
    }
    if (isRefused) {
      commit = time.after(VirtualTime.micros(COMMIT_PAUSE), life, this::commitAll);
    }
  }

  private void send(Assignment assignment) {
    int offset = assignment.committable();
    toBroker(() -> broker.commit(this, assignment.partition(), assignment.epoch(), offset));
  }

  private void leave(Promise<Void> left) {
    cancel(heartbeat);
    cancel(commit);
    owned.values().stream().filter(Assignment::isDirty).forEach(this::send);
    toBroker(() -> broker.leave(this));
    time.after(broker.trip(), life, left::complete);
  }

  private static void cancel(VirtualTime.@Nullable Step step) {
    if (step != null) {
      step.cancel();
    }
  }

  @Override
  public String toString() {
    return "the consumer of " + life;
  }

  /**
   * What became of a record until now, as the consumer of Kafka counts it: who was stopping, or whose clock was off,
   * has not tried.
   */
  private record Tries(int failures, int cancellations) {
    static final Tries NONE = new Tries(0, 0);

    private static boolean isCancelled(Throwable cause) {
      return cause instanceof RunlaneException failure
          && failure.code() == ErrorCode.OPERATION_CANCELLED;
    }

    Tries after(Throwable cause) {
      return isCancelled(cause)
          ? new Tries(failures, cancellations + 1)
          : new Tries(failures + 1, cancellations);
    }

    boolean areHopeless(Throwable cause) {
      boolean retryable = cause instanceof RunlaneException failure && failure.isRetryable();
      return !isCancelled(cause) && failures >= (retryable ? MOST_ATTEMPTS : MOST_FUTILE_ATTEMPTS);
    }

    /** How long it rests, by the number of pauses of that kind. */
    int pauses(Throwable cause) {
      return isCancelled(cause) ? cancellations : failures;
    }
  }
}
