package dev.runlane.simulation.operator;

import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.RunEndListener;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.webhook.WebhookRequest;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Who is told of the ends of runs: the receiver of webhooks, and a listener in each process. */
public final class EndWatch {
  private static final Duration SHORTEST_TRIP = Duration.ofMillis(1);
  private static final Duration LONGEST_TRIP = Duration.ofSeconds(2);
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final VirtualTime time;
  private final Faults faults;
  private final Chance trips;
  private final Trace trace;
  private final Function<String, @Nullable RunRecord> stored;
  private final Consumer<Violation> found;
  private final Set<String> told = new HashSet<>();
  private final List<Listener> listeners = new ArrayList<>();

  /** @param stored the run, or null where it is not there */
  public EndWatch(
      VirtualTime time,
      Faults faults,
      Chance trips,
      Trace trace,
      Function<String, @Nullable RunRecord> stored,
      Consumer<Violation> found) {
    this.time = time;
    this.faults = faults;
    this.trips = trips;
    this.trace = trace;
    this.stored = stored;
    this.found = found;
  }

  /** Whether a webhook was told of the end of a run. */
  public boolean isTold(String webhook, String run) {
    return told.contains(webhook + ":" + run);
  }

  /** Those of all processes that ever were. */
  public List<Listener> listeners() {
    return List.copyOf(listeners);
  }

  /** What a process sends to the receiver, which may be away, or hear it and answer something else. */
  public Future<Integer> post(Lifetime life, WebhookRequest request) {
    Promise<Integer> answer = Promise.promise();
    if (!faults.hits(Kind.WEBHOOK_REFUSED, time.now(), life.process())) {
      time.after(trip(), Lifetime.WORLD, () -> {
        hear(request);
        time.after(trip(), life, () -> answer.complete(204));
      });
      return answer.future();
    }
    Chance chance = faults.chance(Kind.WEBHOOK_REFUSED);
    if (chance.happens(0.5)) {
      time.after(trip(), Lifetime.WORLD, () -> hear(request));
    }
    if (chance.happens(0.5)) {
      time.after(2 * trip(), life, () -> answer.complete(503));
    } else {
      long timeout = VirtualTime.micros(TIMEOUT);
      time.after(timeout, life, () -> answer.fail(new TimeoutException("no answer")));
    }
    return answer.future();
  }

  /** A listener of a new life of a process. */
  public Listener listener(Lifetime life) {
    Listener listener = new Listener(life);
    listeners.add(listener);
    return listener;
  }

  private long trip() {
    return trips.micros(SHORTEST_TRIP, LONGEST_TRIP);
  }

  private void hear(WebhookRequest request) {
    JsonObject run = new JsonObject(request.body()).getJsonObject("run");
    if (trace.isOn()) {
      trace.note(Lifetime.WORLD, "a webhook is told " + request.deliveryId() + " " + run);
    }
    judge(Rule.WEBHOOK, run.getString("id"), run.getString("status"));
    told.add(request.deliveryId());
  }

  /** What is told of a run is so, unless the run was pruned since. */
  private void judge(Rule rule, String run, String status) {
    RunRecord now = stored.apply(run);
    if (now != null && !now.status().value().equals(status)) {
      found.accept(new Violation(
          rule, run, "it is told as " + status + " and is " + now.status().value()));
    }
  }

  /** The listener of one life of a process. */
  public final class Listener implements RunEndListener {
    private final Lifetime life;
    private final Set<String> heard = new HashSet<>();
    /** One that was pruned before its fire was done is made anew with the same id, and ends once more. */
    private final Set<Map.Entry<String, Instant>> ends = new HashSet<>();

    private final List<Instant> missedUntil = new ArrayList<>();
    private long since = Long.MAX_VALUE;

    private Listener(Lifetime life) {
      this.life = life;
    }

    /** It hears of what ends from now on. */
    public void begins() {
      since = time.now();
    }

    /** Whether it has heard of an end, or is not to. */
    public boolean knows(String run, Instant endedAt) {
      return life.isOver()
          || heard.contains(run)
          || !endedAt.isAfter(
              VirtualTime.START.plusNanos(Math.min(since, Long.MAX_VALUE / 1_000) * 1_000))
          || missedUntil.stream().anyMatch(until -> !endedAt.isAfter(until));
    }

    @Override
    public void ended(RunRecord run) {
      RunStatus status = run.status();
      trace.note(life, "is told that " + run.id() + " is " + status.value());
      judge(Rule.SUBSCRIPTION, run.id(), status.value());
      heard.add(run.id());
      if (!ends.add(Map.entry(run.id(), run.updatedAt()))) {
        found.accept(new Violation(Rule.SUBSCRIPTION, run.id(), life + " is told twice"));
      }
    }

    @Override
    public void missed(Instant from, Instant until) {
      missedUntil.add(until);
    }

    @Override
    public String toString() {
      return life.toString();
    }
  }
}
