package dev.runlane.simulation.network;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one life of a process to the storage. Commands are carried out one after the other, in the
 * order in which they arrive; what is on its way when its process dies is carried out all the same. A call that is
 * not answered fails at its deadline, as those of a real adapter do.
 */
public final class StorageLine implements Line {
  private static final Duration SHORTEST_TRIP = Duration.ofNanos(100_000);

  /** How long a call takes at most on each way, where nothing is slow. */
  public static final Duration LONGEST_TRIP = Duration.ofMillis(3);

  private static final Duration LONGEST_SLOW_TRIP = Duration.ofSeconds(8);

  /** How long an adapter waits for an answer at most: longer than the slowest call takes. */
  public static final Duration DEADLINE = Duration.ofSeconds(10);

  private static final Set<ErrorCode> BROKEN = Set.of(
      ErrorCode.INVARIANT_VIOLATION,
      ErrorCode.ADAPTER_CONTRACT_VIOLATION,
      ErrorCode.INTERNAL_ERROR,
      ErrorCode.VALIDATION_FAILED,
      ErrorCode.CAPABILITY_UNSUPPORTED);

  private static final Map<String, Boolean> CHANGES = new ConcurrentHashMap<>(); // by method

  private final VirtualTime time;
  private final Lifetime life;
  private final Faults faults;
  private final Chance trips;
  private final Duration longestTrip;
  private final Trace trace;
  private final Consumer<Lifetime> kill;
  private final BiConsumer<String, Throwable> broken;
  private final Set<Call> underWay = new LinkedHashSet<>(); // where connections break
  private final Set<Call> late = new LinkedHashSet<>(); // over connections that broke
  private final Set<Call> overtaken = new LinkedHashSet<>(); // by nothing but the next of the kind

  /**
   * @param trips how long each way takes
   * @param longestTrip how long at most
   * @param kill ends the life at once
   * @param broken is told of a call that failed as only a mistake of the runtime or the storage makes it fail
   */
  public StorageLine(
      VirtualTime time,
      Lifetime life,
      Faults faults,
      Chance trips,
      Duration longestTrip,
      Trace trace,
      Consumer<Lifetime> kill,
      BiConsumer<String, Throwable> broken) {
    this.time = time;
    this.life = life;
    this.faults = faults;
    this.trips = trips;
    this.longestTrip = longestTrip;
    this.trace = trace;
    this.kill = kill;
    this.broken = broken;
  }

  @Override
  public Future<?> call(String method, Supplier<Future<?>> execute) {
    Promise<Object> answer = Promise.promise();
    if (life.isOver()) {
      return answer.future(); // it died in the middle of this step
    }
    Fate fate = fate(method);
    if (trace.isOn()) {
      trace.note(life, method + (fate == Fate.GOOD ? "" : " (" + fate + ")"));
    }
    switch (fate) {
      case KILLED_BEFORE -> kill.accept(life);
      case REFUSED -> failAfter(trip() + trip(), answer, "refuses");
      case NEVER_SENT -> failAfter(VirtualTime.micros(DEADLINE), answer, "does not answer to");
      case CUT -> {
        send(method, execute, fate, answer);
        cut();
      }
      case GOOD, SLOW, KILLED_AFTER, UNANSWERED, ANSWER_LOST -> send(method, execute, fate, answer);
    }
    return answer.future();
  }

  @Override
  public <T> Consumer<T> pushes(Consumer<T> listener) {
    return news -> {
      if (!faults.hits(Kind.CANCELLATION_LOST, time.now(), life.process())) {
        time.after(trip(), life, () -> {
          trace.note(life, "hears of " + news);
          listener.accept(news);
        });
      }
    };
  }

  private void send(String method, Supplier<Future<?>> execute, Fate fate, Promise<Object> answer) {
    long trip =
        switch (fate) {
          case SLOW -> faults.chance(Kind.STORAGE_SLOW).micros(LONGEST_TRIP, LONGEST_SLOW_TRIP);
          case UNANSWERED -> faults.chance(Kind.STORAGE_SILENT).micros(SHORTEST_TRIP, DEADLINE);
          default -> trip();
        };
    if (fate == Fate.UNANSWERED) {
      failAfter(VirtualTime.micros(DEADLINE), answer, "does not answer to");
    }
    Call call = new Call(method, answer);
    call.sends(
        () -> {
          comeBefore(method);
          Future<?> done = execute.get();
          look(method, done);
          if (call.isCut) {
            return;
          }
          if (fate == Fate.KILLED_AFTER && !life.isOver()) {
            kill.accept(life);
          } else if (fate == Fate.ANSWER_LOST) {
            failAfter(trip(), answer, "lost the answer to");
          } else if (fate != Fate.UNANSWERED) {
            time.after(trip(), life, () -> done.onComplete(call::answers));
          }
        },
        trip);
  }

  /**
   * Each call under way fails; one that has not come to the storage yet may come there later. Where it changes
   * something it often comes at the worst time: when the process has looked whether it was carried out, and asks for it
   * again.
   */
  private void cut() {
    Chance chance = faults.chance(Kind.STORAGE_CUT);
    List.copyOf(underWay).forEach(call -> {
      call.isCut = true;
      underWay.remove(call);
      if (!call.isExecuted) {
        boolean isLost = chance.happens(0.5);
        call.comes(isLost ? Long.MAX_VALUE : chance.micros(SHORTEST_TRIP, Fault.LATEST));
        if (!isLost) {
          late.add(call);
        }
        if (!isLost && changes(call.method) && chance.happens(0.5)) {
          overtaken.add(call);
        }
      }
      failAfter(trip(), call.answer, "lost the connection of");
    });
  }

  /** Another storage takes over: what has not come to the old one never does, and nothing is answered any more. */
  public void losesStorage() {
    overtaken.clear();
    late.forEach(call -> call.comes(Long.MAX_VALUE));
    late.clear();
    List.copyOf(underWay).forEach(call -> {
      call.isCut = true;
      underWay.remove(call);
      if (!call.isExecuted) {
        call.comes(Long.MAX_VALUE);
      }
      failAfter(trip(), call.answer, "lost the connection of");
    });
  }

  /** What was sent before by the same method, over a connection that broke since, and is about to come. */
  private void comeBefore(String method) {
    if (!overtaken.isEmpty()) {
      List.copyOf(overtaken).stream()
          .filter(call -> call.method.equals(method))
          .forEach(Call::comesNow);
    }
  }

  /** One call on its way there and back. */
  private final class Call {
    private final String method;
    private final Promise<Object> answer;
    private Runnable command = () -> {};
    private VirtualTime.@Nullable Step step;
    private boolean isExecuted;
    private boolean isCut;

    Call(String method, Promise<Object> answer) {
      this.method = method;
      this.answer = answer;
    }

    void sends(Runnable execute, long trip) {
      command = () -> {
        isExecuted = true;
        late.remove(this);
        overtaken.remove(this);
        execute.run();
      };
      step = time.after(trip, Lifetime.WORLD, command);
      if (!faults.of(Kind.STORAGE_CUT).isEmpty()
          || !faults.of(Kind.STORAGE_FAILOVER).isEmpty()) {
        underWay.add(this);
      }
    }

    /** It comes there so much later, or never. */
    void comes(long later) {
      if (step != null) {
        step.cancel();
      }
      if (later < Long.MAX_VALUE) {
        step = time.after(later, Lifetime.WORLD, command);
      }
    }

    private void comesNow() {
      comes(Long.MAX_VALUE);
      command.run();
    }

    void answers(AsyncResult<?> result) {
      underWay.remove(this);
      if (isCut) {
        return;
      }
      if (result.succeeded()) {
        answer.complete(result.result());
      } else {
        answer.fail(result.cause());
      }
    }
  }

  private void look(String method, Future<?> done) {
    if (trace.isOn() && done.failed()) {
      trace.note(Lifetime.WORLD, method + " of " + life + ": " + done.cause().getMessage());
    }
    if (done.failed()
        && !(done.cause() instanceof RunlaneException failure
            && !BROKEN.contains(failure.code()))) {
      broken.accept(method, done.cause());
    }
  }

  private void failAfter(long micros, Promise<Object> answer, String how) {
    time.after(
        micros,
        life,
        () -> answer.tryFail(RunlaneException.unavailable(
            ErrorCode.STORAGE_UNAVAILABLE, null, "the storage %s a call", how)));
  }

  private long trip() {
    return trips.micros(SHORTEST_TRIP, longestTrip);
  }

  private Fate fate(String method) {
    long now = time.now();
    int process = life.process();
    boolean changes = changes(method);
    if (changes && faults.hits(Kind.KILL_AT_CALL, now, process)) {
      return faults.chance(Kind.KILL_AT_CALL).happens(0.4) ? Fate.KILLED_BEFORE : Fate.KILLED_AFTER;
    }
    if (faults.hits(Kind.STORAGE_REFUSED, now, process)
        || (changes && faults.hits(Kind.STORAGE_READ_ONLY, now, process))) {
      return Fate.REFUSED;
    }
    if (faults.hits(Kind.STORAGE_SILENT, now, process)) {
      return faults.chance(Kind.STORAGE_SILENT).happens(0.5) ? Fate.NEVER_SENT : Fate.UNANSWERED;
    }
    if (faults.hits(Kind.STORAGE_FAILED_AFTER_COMMIT, now, process)) {
      return Fate.ANSWER_LOST;
    }
    if (changes && faults.hits(Kind.STORAGE_CUT, now, process)) {
      return Fate.CUT;
    }
    return faults.hits(Kind.STORAGE_SLOW, now, process) ? Fate.SLOW : Fate.GOOD;
  }

  /** Whether calls of a method change something. */
  static boolean changes(String method) {
    return CHANGES.computeIfAbsent(method, StorageLine::isChange);
  }

  private static boolean isChange(String method) {
    return !method.startsWith("get")
        && !method.startsWith("list")
        && !method.startsWith("find")
        && !method.equals("latestSample")
        && !method.equals("outboxMessagesOf")
        && !method.equals("now")
        && !method.equals("listen")
        && !method.equals("subscribe");
  }

  /** What becomes of one call. */
  private enum Fate {
    GOOD,
    SLOW,
    REFUSED,
    NEVER_SENT,
    UNANSWERED,
    ANSWER_LOST,
    CUT,
    KILLED_BEFORE,
    KILLED_AFTER
  }
}
