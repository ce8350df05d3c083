package dev.runlane.simulation.network;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A transport that tells every process of every wakeup, as notifications of a database do, and keeps none. */
public final class Hints implements WakeupTransport {
  private final VirtualTime time;
  private final Trace trace;
  private final PublishLine line;
  private final Map<Lifetime, List<WakeupListener>> listeners = new LinkedHashMap<>();

  /** Nobody listens yet. */
  public Hints(VirtualTime time, Faults faults, Chance trips, Trace trace) {
    this.time = time;
    this.trace = trace;
    line = new PublishLine(time, faults, trips, trace, true, this::deliver);
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
      listeners.computeIfAbsent(life, first -> new ArrayList<>()).add(listener);
      return Future.succeededFuture(() -> {
        listeners.getOrDefault(life, new ArrayList<>()).remove(listener);
        return Future.succeededFuture();
      });
    }
  }
}
