package dev.runlane.conformance.provider;

import dev.runlane.transport.PublishWakeups;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a test has a provider do to the wakeups that are published next, through whichever {@link FaultyTransport} of
 * these faults. Safe to use from any thread; a malformed command uses up none of them.
 */
public final class ProviderFaults {
  private final List<Supplier<Future<?>>> delayed = new ArrayList<>(); // publishes them
  private int refusals;
  private int doublings;
  private int delays;
  private int lostAnswers;
  private boolean reachable = true;
  private boolean silent;

  /** None of them. */
  public ProviderFaults() {}

  /** The next {@code wakeups} are refused, the others of their commands are taken. */
  public synchronized void refuseNext(int wakeups) {
    refusals = wakeups;
  }

  /** The next {@code wakeups} are delivered twice. */
  public synchronized void doubleNext(int wakeups) {
    doublings = wakeups;
  }

  /** The next {@code wakeups} are taken at once, but delivered no earlier than {@link #deliverDelayed} says. */
  public synchronized void delayNext(int wakeups) {
    delays = wakeups;
  }

  /** The next {@code commands} are carried out, but their callers hear of an outage. */
  public synchronized void loseAnswersOfNext(int commands) {
    lostAnswers = commands;
  }

  /** The provider cannot be reached, until {@link #restore}: commands fail and publish nothing. */
  public synchronized void breakDown() {
    reachable = false;
  }

  /** From now on commands are neither carried out nor ever answered, until {@link #restore}. */
  public synchronized void fallSilent() {
    silent = true;
  }

  /** The provider can be reached and answers again. Commands that met with silence stay unanswered. */
  public synchronized void restore() {
    reachable = true;
    silent = false;
  }

  /** Delivers all that was delayed so far. */
  public Future<Void> deliverDelayed() {
    List<Supplier<Future<?>>> due;
    synchronized (this) {
      due = List.copyOf(delayed);
      delayed.clear();
    }
    return Future.join(due.stream().map(Supplier::get).toList()).mapEmpty();
  }

  synchronized void later(Supplier<Future<?>> publishing) {
    delayed.add(publishing);
  }

  /** What happens to this command, whose faults are used up with it. */
  synchronized Fate next(PublishWakeups command) {
    if (silent || !reachable) {
      return new Fate(List.of(), silent ? Answer.NEVER : Answer.OUTAGE);
    }
    List<Wakeup> wakeups = new ArrayList<>();
    for (int i = 0; i < command.attempts().size(); i++) {
      wakeups.add(nextWakeup());
    }
    boolean isLost = lostAnswers > 0 && lostAnswers-- > 0;
    return new Fate(wakeups, isLost ? Answer.LOST : Answer.GIVEN);
  }

  private Wakeup nextWakeup() {
    if (refusals > 0) {
      refusals--;
      return Wakeup.REFUSED;
    }
    if (delays > 0) {
      delays--;
      return Wakeup.DELAYED;
    }
    if (doublings > 0) {
      doublings--;
      return Wakeup.DOUBLED;
    }
    return Wakeup.TAKEN;
  }

  /** What becomes of one wakeup. */
  enum Wakeup {
    TAKEN,
    REFUSED,
    DELAYED,
    DOUBLED
  }

  /** What the caller hears. */
  enum Answer {
    GIVEN,
    LOST,
    OUTAGE,
    NEVER
  }

  /**
   * What becomes of a command.
   *
   * @param wakeups of each attempt; none where nothing is carried out
   * @param answer what the caller hears
   */
  record Fate(List<Wakeup> wakeups, Answer answer) {}
}
