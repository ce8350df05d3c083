package dev.runlane.simulation.network;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.PublishChecks;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjLongConsumer;

/** The way of wakeups from every process to the transport: refused, doubled, late, or cut off. */
final class PublishLine {
  private static final Duration SHORTEST_TRIP = Duration.ofNanos(200_000);
  private static final Duration LONGEST_TRIP = Duration.ofMillis(20);
  private static final Duration LONGEST_DELAY = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofSeconds(15); // with a transport that is away

  private static final double FOR_GOOD = 0.1; // of what is refused

  private final VirtualTime time;
  private final Faults faults;
  private final Chance trips;
  private final Trace trace;
  private final boolean mayLose;
  private final ObjLongConsumer<DeliveryMessage> accepted;
  private final Set<String> offered = new HashSet<>();
  private final Map<String, Instant> tried = new HashMap<>();

  /**
   * @param mayLose whether the transport may forget what it has accepted
   * @param accepted takes what has arrived, and how many microseconds later it is to go on
   */
  PublishLine(
      VirtualTime time,
      Faults faults,
      Chance trips,
      Trace trace,
      boolean mayLose,
      ObjLongConsumer<DeliveryMessage> accepted) {
    this.time = time;
    this.faults = faults;
    this.trips = trips;
    this.trace = trace;
    this.mayLose = mayLose;
    this.accepted = accepted;
  }

  Set<String> offered() {
    return Set.copyOf(offered);
  }

  /** When each message was sent off first, whether it arrived or not. */
  Map<String, Instant> firstTries() {
    return Map.copyOf(tried);
  }

  /** How long a message is under way. */
  long trip() {
    return trips.micros(SHORTEST_TRIP, LONGEST_TRIP);
  }

  Future<List<WakeupPublishOutcome>> publish(PublishWakeups command, Lifetime life) {
    return AdapterCall.of("publishWakeups", () -> {
      PublishChecks.check(command);
      Instant now = time.instant();
      command.attempts().forEach(attempt -> tried.putIfAbsent(attempt.outboxMessageId(), now));
      Promise<List<WakeupPublishOutcome>> answer = Promise.promise();
      if (hits(Kind.TRANSPORT_AWAY, life)) {
        trace.note(life, "publish (transport away)");
        long patience = faults.chance(Kind.TRANSPORT_AWAY).micros(SHORTEST_TRIP, PATIENCE);
        time.after(
            patience,
            life,
            () -> answer.fail(
                faults.chance(Kind.TRANSPORT_AWAY).happens(FOR_GOOD)
                    ? RunlaneException.of(ErrorCode.VALIDATION_FAILED, "the transport is broken")
                    : RunlaneException.unavailable(
                        ErrorCode.TRANSPORT_UNAVAILABLE, null, "the transport is away")));
      } else if (!life.isOver()) {
        time.after(trip(), Lifetime.WORLD, () -> {
          List<WakeupPublishOutcome> outcomes =
              command.attempts().stream().map(attempt -> publish(attempt, life)).toList();
          time.after(trip(), life, () -> answer.complete(outcomes));
        });
      }
      return answer.future();
    });
  }

  private WakeupPublishOutcome publish(PublishWakeups.Attempt attempt, Lifetime life) {
    if (trace.isOn()) {
      trace.note(life, "publish " + attempt.message().runId());
    }
    if (hits(Kind.PUBLISH_REFUSED, life)) {
      return new WakeupPublishOutcome.Failed(new FailureRecord(
          ErrorCode.TRANSPORT_PUBLISH_FAILED,
          "the transport refused a message",
          !faults.chance(Kind.PUBLISH_REFUSED).happens(FOR_GOOD),
          null));
    }
    offered.add(attempt.outboxMessageId());
    if (!mayLose || !hits(Kind.PUBLISH_LOST, life)) {
      accept(attempt.message(), life);
    }
    return new WakeupPublishOutcome.Published(null);
  }

  private void accept(DeliveryMessage message, Lifetime from) {
    int times = hits(Kind.PUBLISH_DOUBLED, from) ? 2 : 1;
    for (int copy = 0; copy < times; copy++) {
      long delay = hits(Kind.PUBLISH_DELAYED, from)
          ? faults.chance(Kind.PUBLISH_DELAYED).micros(LONGEST_TRIP, LONGEST_DELAY)
          : 0;
      accepted.accept(message, delay);
    }
  }

  private boolean hits(Kind kind, Lifetime life) {
    return faults.hits(kind, time.now(), life.process());
  }
}
