package dev.runlane.simulation.fleet;

import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.ClaimWatch;
import dev.runlane.simulation.network.RemoteCalls;
import dev.runlane.simulation.network.StorageLine;
import dev.runlane.simulation.watch.HolderWatch;
import dev.runlane.simulation.watch.LimitHistory;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.ProcessClock;
import dev.runlane.simulation.world.ProcessTimers;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.StorageAdapter;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where one process after the other runs: one that dies or does not come up is followed by another, as a supervisor
 * would have it.
 */
final class Place {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration LATER = Duration.ofSeconds(10);

  /** What a claim is worked on for at first. */
  private static final Duration A_PUBLISH = Duration.ofMillis(40);

  private final int number;
  private final Site site;
  private final Runnable changed;
  private final VirtualTime time;
  private final Trace trace;
  private final Faults faults;
  private int lives;
  private @Nullable SimulatedProcess process;
  private @Nullable Lifetime work; // of its handlers
  private boolean isUp;
  private Deployment deployment = Deployment.USUAL;
  private LimitHistory.@Nullable Version version;
  private long downUntil;
  private long upSince;
  private long endedAt = Long.MIN_VALUE / 2;
  private boolean closing;

  /** @param changed is called when a process has come up or is gone */
  Place(int number, Site site, Runnable changed) {
    this.number = number;
    this.site = site;
    this.changed = changed;
    time = site.time();
    trace = site.trace();
    faults = site.faults();
  }

  int number() {
    return number;
  }

  /** The process that is up. */
  Optional<SimulatedProcess> up() {
    return isUp ? Optional.ofNullable(process) : Optional.empty();
  }

  boolean isUsual() {
    return deployment.equals(Deployment.USUAL);
  }

  /** When the process that is up came up. */
  long upSince() {
    return upSince;
  }

  /** When the last process ended that was here. */
  long endedAt() {
    return endedAt;
  }

  void start() {
    if (process != null || closing || time.now() < downUntil) {
      return;
    }
    lives++;
    Lifetime life = new Lifetime(number, lives);
    Lifetime handlersLife = new Lifetime(number, lives);
    deployment = deployment();
    LimitHistory.Version begins = site.limits().starts(deployment.sharedLimit(), time.now());
    version = begins;
    site.upTimes().begins(deployment.schedules(), time.now());
    trace.note(life, "starts" + (deployment.equals(Deployment.USUAL) ? "" : " as " + deployment));
    StorageLine line = new StorageLine(
        time,
        life,
        faults,
        site.trips(),
        site.setup().habits().longestTrip(),
        trace,
        dead -> kill("is killed at a call"),
        (method, failure) -> mistake(method, failure));
    site.failovers().ifPresent(takeovers -> takeovers.connects(line));
    ClaimWatch claims = new ClaimWatch(line, time::now);
    SimulatedProcess begun = new SimulatedProcess(
        life,
        site.setup(),
        new SimulatedProcess.Connections(
            RemoteCalls.to(
                StorageAdapter.class,
                site.storage(),
                new HolderWatch(claims, life, site.stored(), site.found())),
            claims,
            site.transport(),
            site.steps().map(workers -> workers.over(line)),
            site.ends(),
            () -> site.upTimes().passes(time.now()),
            this::stop),
        new ProcessClock(time, now -> faults.clockAhead(now, number)),
        new ProcessTimers(time, life),
        Chance.of(site.seed(), life.toString()).number(),
        new Handlers(
            handlersLife,
            new ProcessTimers(time, handlersLife),
            site.handlers(),
            () -> kill("is killed by its handler")),
        deployment);
    process = begun;
    work = handlersLife;
    begun.start().onComplete(started -> {
      if (process != begun) {
        return;
      }
      if (started.succeeded()) {
        trace.note(life, "is up");
        isUp = true;
        upSince = time.now();
        begins.isUp(time.now());
        changed.run();
      } else {
        kill("did not start: " + started.cause().getMessage());
      }
    });
  }

  private Deployment deployment() {
    long now = time.now();
    return new Deployment(
        faults.limit(now, number, Catalogue.SHARED_LIMIT),
        faults.hits(Kind.TASK_MISSING, now, number),
        faults.isActive(Kind.PAYLOAD_UNREADABLE, now, number),
        faults.edition(now, number));
  }

  void killUntil(long until) {
    downUntil = until;
    kill("is killed");
  }

  void kill(String how) {
    SimulatedProcess killed = process;
    if (killed != null) {
      trace.note(killed.life(), how);
      gone(killed);
      time.after(site.restarts().micros(SOON, LATER), Lifetime.WORLD, this::start);
    }
  }

  private void gone(SimulatedProcess ended) {
    ended.life().end();
    if (work != null) {
      work.end();
    }
    if (version != null) {
      version.ends(time.now());
    }
    process = null;
    site.upTimes().ends(time.now());
    endedAt = time.now();
    isUp = false;
    changed.run();
  }

  /**
   * Stops it for a while at once, or soon after it has claimed something the next time, unless the while is over then.
   *
   * @param claim what, counted from 1; 0: at once
   */
  void pauseWith(int claim, long until) {
    SimulatedProcess pausing = process;
    if (claim == 0) {
      pause(until);
    } else if (pausing != null) {
      ClaimWatch.Claimed what = ClaimWatch.Claimed.ALL.get(claim - 1);
      pausing.claims().onNext(what, () -> {
        long soon = faults.chance(Kind.PAUSE).micros(Duration.ZERO, A_PUBLISH);
        time.after(soon, Lifetime.WORLD, () -> {
          if (process == pausing && time.now() < until) {
            pause(until);
          }
        });
      });
    }
  }

  private void pause(long until) {
    if (process != null && work != null) {
      trace.note(process.life(), "is stopped");
      process.life().pause(time.now(), until);
      work.pause(time.now(), until);
    }
  }

  /**
   * Stops it at once, or when it claims something the next time.
   *
   * @param claim what, counted from 1; 0: at once
   */
  void stopWith(int claim) {
    SimulatedProcess stopping = process;
    if (claim == 0) {
      stop();
    } else if (stopping != null) {
      ClaimWatch.Claimed what = ClaimWatch.Claimed.ALL.get(claim - 1);
      stopping.claims().onNext(what, () -> time.after(0, stopping.life(), this::stop));
    }
  }

  void stop() {
    SimulatedProcess stopping = process;
    if (stopping == null || !isUp) {
      return;
    }
    isUp = false;
    changed.run();
    trace.note(stopping.life(), "is told to end");
    LimitHistory.Version ending = version;
    if (ending != null) {
      ending.goes(time.now());
    }
    long pausedBefore = stopping.life().pausedMicros();
    long pauseLeft = pauseLeft(stopping);
    Duration bound = SimulatedProcess.STOP_BOUND.plus(SimulatedProcess.CLOSE_BOUND);
    time.after(
        VirtualTime.micros(bound.multipliedBy(2)) + pauseLeft,
        Lifetime.WORLD,
        () -> giveUp(stopping, pausedBefore));
    long askedAt = time.now();
    boolean atOnce = Chance.of(site.seed(), stopping.life() + " ends").happens(0.3);
    stopping.stop(atOnce).onSuccess(stopped -> {
      trace.note(stopping.life(), "has ended");
      if (pauseLeft == 0 && stopping.life().pausedMicros() == pausedBefore) {
        site.stops().check(stopping, stopped, askedAt);
      }
      if (work != null) {
        work.end();
      }
      if (!closing) {
        gone(stopping);
        time.after(site.restarts().micros(SOON, LATER), Lifetime.WORLD, this::start);
      }
    });
  }

  private long pauseLeft(SimulatedProcess stopping) {
    return Math.max(0, stopping.life().pausedUntil() - time.now());
  }

  private void giveUp(SimulatedProcess stopping, long pausedBefore) {
    if (process == stopping && !closing) {
      if (stopping.life().pausedMicros() == pausedBefore) {
        site.found()
            .accept(new Violation(
                Rule.CLOSE,
                stopping.life().toString(),
                "it was still there after twice its bound"));
      }
      kill("is killed, since it did not end");
    }
  }

  /** Closes it for good. */
  void close() {
    closing = true;
    stop();
  }

  void checkLeftover() {
    SimulatedProcess closed = process;
    if (closed != null && time.pending(closed.life()) > 0) {
      site.found()
          .accept(new Violation(
              Rule.LEFTOVER,
              closed.life().toString(),
              time.pending(closed.life()) + " timers or calls are left after its close"));
    }
  }

  private void mistake(String method, Throwable failure) {
    site.found()
        .accept(
            new Violation(Rule.MISTAKE, "p" + number, method + " failed: " + failure.getMessage()));
  }
}
