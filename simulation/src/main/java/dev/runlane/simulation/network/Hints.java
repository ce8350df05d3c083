package dev.runlane.simulation.network;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
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
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A transport that tells every process of every wakeup, as notifications of a database do, and keeps none. */
public final class Hints {
  private static final Duration SHORTEST_TRIP = Duration.ofNanos(200_000);
  private static final Duration LONGEST_TRIP = Duration.ofMillis(20);
  private static final Duration LONGEST_DELAY = Duration.ofMinutes(5);
  private static final Duration PATIENCE = Duration.ofSeconds(15); // with a transport that is away

  private final VirtualTime time;
  private final Faults faults;
  private final Chance trips;
  private final Trace trace;
  private final Map<Lifetime, List<WakeupListener>> listeners = new LinkedHashMap<>();
  private final Set<String> offered = new HashSet<>();

  /** Nobody listens yet. */
  public Hints(VirtualTime time, Faults faults, Chance trips, Trace trace) {
    this.time = time;
    this.faults = faults;
    this.trips = trips;
    this.trace = trace;
  }

  /** The transport as one life of a process has it. */
  public TransportAdapter of(Lifetime life) {
    return new End(life);
  }

  /** The outbox messages that were published at least once, as the transport saw it. */
  public Set<String> offered() {
    return Set.copyOf(offered);
  }

  private void deliver(DeliveryMessage message, Lifetime from) {
    int times = hits(Kind.PUBLISH_DOUBLED, from) ? 2 : 1;
    for (int copy = 0; copy < times; copy++) {
      long delay = hits(Kind.PUBLISH_DELAYED, from)
          ? faults.chance(Kind.PUBLISH_DELAYED).micros(LONGEST_TRIP, LONGEST_DELAY)
          : 0;
      listeners.forEach((life, all) -> {
        if (!life.isOver()) {
          time.after(delay + trip(), life, () -> {
            if (trace.isOn()) {
              trace.note(life, "wakeup of " + message.runId());
            }
            List.copyOf(all).forEach(listener -> listener.onWakeups(List.of(message)));
          });
        }
      });
    }
  }

  private boolean hits(Kind kind, Lifetime life) {
    return faults.hits(kind, time.now(), life.process());
  }

  private long trip() {
    return trips.micros(SHORTEST_TRIP, LONGEST_TRIP);
  }

  /** One process's end of it. */
  private final class End implements TransportAdapter, WakeupSource {
    private final Lifetime life;

    End(Lifetime life) {
      this.life = life;
    }

    @Override
    public Set<TransportCapability> capabilities() {
      return Set.of();
    }

    @Override
    public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
      return AdapterCall.of("publishWakeups", () -> {
        PublishChecks.check(command);
        Promise<List<WakeupPublishOutcome>> answer = Promise.promise();
        if (hits(Kind.TRANSPORT_AWAY, life)) {
          trace.note(life, "publish (transport away)");
          long patience = faults.chance(Kind.TRANSPORT_AWAY).micros(SHORTEST_TRIP, PATIENCE);
          time.after(
              patience,
              life,
              () -> answer.fail(RunlaneException.unavailable(
                  ErrorCode.TRANSPORT_UNAVAILABLE, null, "the transport is away")));
        } else if (!life.isOver()) {
          time.after(trip(), Lifetime.WORLD, () -> {
            List<WakeupPublishOutcome> outcomes =
                command.attempts().stream().map(this::publish).toList();
            time.after(trip(), life, () -> answer.complete(outcomes));
          });
        }
        return answer.future();
      });
    }

    private WakeupPublishOutcome publish(PublishWakeups.Attempt attempt) {
      if (trace.isOn()) {
        trace.note(life, "publish " + attempt.message().runId());
      }
      if (hits(Kind.PUBLISH_REFUSED, life)) {
        return new WakeupPublishOutcome.Failed(new FailureRecord(
            ErrorCode.TRANSPORT_PUBLISH_FAILED, "the transport refused a message", true, null));
      }
      offered.add(attempt.outboxMessageId());
      if (!hits(Kind.PUBLISH_LOST, life)) {
        deliver(attempt.message(), life);
      }
      return new WakeupPublishOutcome.Published(null);
    }

    @Override
    public Optional<WakeupSource> wakeups() {
      return Optional.of(this);
    }

    @Override
    public Future<Subscription> subscribe(Environment environment, WakeupListener listener) {
      listeners.computeIfAbsent(life, first -> new ArrayList<>()).add(listener);
      return Future.succeededFuture(() -> {
        listeners.getOrDefault(life, new ArrayList<>()).remove(listener);
        return Future.succeededFuture();
      });
    }
  }
}
