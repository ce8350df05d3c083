package dev.runlane.simulation.network;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupPublishOutcome;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A transport that tells every process of every wakeup, as notifications of a database do, and keeps none. */
public final class Hints implements WakeupTransport {
  private final VirtualTime time;
  private final Faults faults;
  private final Trace trace;
  private final PublishLine line;
  private final Map<Lifetime, List<WakeupListener>> listeners = new LinkedHashMap<>();

  /** Nobody listens yet. */
  public Hints(VirtualTime time, Faults faults, Chance trips, Trace trace) {
    this.time = time;
    this.trace = trace;
    this.faults = faults;
    line = new PublishLine(time, faults, trips, trace, true, this::deliver);
    for (Fault fault : faults.of(Kind.PUBLISH_LOST)) {
      if (fault.until() < Long.MAX_VALUE) {
        time.after(fault.until() - time.now(), Lifetime.WORLD, this::tellOfLoss);
      }
    }
  }

  @Override
  public TransportAdapter of(Lifetime life) {
    return new End(life);
  }

  @Override
  public Optional<GroupMember> consumer(Lifetime life, DeliveryWorker worker) {
    return Optional.empty();
  }

  @Override
  public Set<String> offered() {
    return line.offered();
  }

  @Override
  public Map<String, Instant> firstTries() {
    return line.firstTries();
  }

  @Override
  public String unsettled() {
    return "";
  }

  /** What is late is late on its way to the processes, so that it is theirs only when it arrives. */
  private void deliver(DeliveryMessage message, long delay) {
    if (delay == 0) {
      tellAll(message);
    } else {
      time.after(delay, Lifetime.WORLD, () -> tellAll(message));
    }
  }

  private void tellAll(DeliveryMessage message) {
    listeners.keySet().removeIf(Lifetime::isOver);
    listeners.forEach((life, all) -> time.after(line.trip(), life, () -> {
      if (trace.isOn()) {
        trace.note(life, "wakeup of " + message.runId());
      }
      List.copyOf(all).forEach(listener -> listener.onWakeups(List.of(message)));
    }));
  }

  /** Connections stand again: what came meanwhile may be lost. */
  private void tellOfLoss() {
    listeners.forEach((life, all) -> time.after(
        line.trip(), life, () -> List.copyOf(all).forEach(WakeupListener::onPossibleLoss)));
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
      return line.publish(command, life);
    }

    @Override
    public Optional<WakeupSource> wakeups() {
      return Optional.of(this);
    }

    @Override
    public Future<Subscription> subscribe(Environment environment, WakeupListener listener) {
      if (faults.hits(Kind.TRANSPORT_AWAY, time.now(), life.process())) {
        return Future.failedFuture(RunlaneException.unavailable(
            ErrorCode.TRANSPORT_UNAVAILABLE, null, "the transport is away"));
      }
      listeners.computeIfAbsent(life, first -> new ArrayList<>()).add(listener);
      return Future.succeededFuture(() -> {
        listeners.getOrDefault(life, new ArrayList<>()).remove(listener);
        return Future.succeededFuture();
      });
    }
  }
}
