package dev.runlane.runtime.steps;

import dev.runlane.run.EventHeader;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.lease.HeldRun;
import dev.runlane.runtime.process.RuntimeContext;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of a run's history that is about steps, as one attempt reads it and writes on: one command at a time,
 * and what others write meanwhile is read before anything later counts, so that the order of results is that of
 * the history. Touched on the home context only.
 *
 * <p>The request of a step that is done here is not written for itself: it is stored with the next result or the
 * end of the attempt, before it, so that a step costs one write. The request of a remote step is written at
 * once, since nobody may be asked for what is not stored.
 */
final class StepLog {
  /** Events written at once. */
  private static final int MOST_EVENTS = 256;

  private final RuntimeContext context;
  private final HeldRun held;
  private final Listener listener;
  private final StepHistoryReader reader;
  private final List<Unwritten> unwritten = new ArrayList<>();
  private @Nullable StepHistory history; // null until it was read
  private boolean busy; // reading or writing
  private boolean missed; // others have written to the run
  private long latest; // what others were said to have written last
  private boolean over;

  StepLog(RuntimeContext context, HeldRun held, Listener listener) {
    this.context = context;
    this.held = held;
    this.listener = listener;
    reader = new StepHistoryReader(context, held.run());
  }

  /** Reads what there is; tells the listener. */
  void open() {
    reading(() -> reader.read(this::isGivenUp), read -> {
      history = read;
      missed = read.hasPending() && latest > reader.seen();
      listener.opened(read);
    });
  }

  /** Whether nothing is being read or written, and nothing is known to be unread. */
  boolean isIdle() {
    return history != null && !busy && !missed;
  }

  /** The steps so far, once they are read. */
  @Nullable
  StepHistory history() {
    return history;
  }

  /** Drops everything: the attempt is over. */
  void close() {
    over = true;
  }

  /** Whether nothing is read any more while the storage is away: another attempt will read it. */
  private boolean isGivenUp() {
    return over || listener.isLeaseOver();
  }

  /** Keeps a request, to be written with what comes next. */
  void keep(StepEvent request) {
    unwritten.add(new Unwritten(null, false, request));
  }

  /** Writes the request of a remote step. */
  void request(StepCall<?> call, StepEvent request) {
    unwritten.add(new Unwritten(call, true, request));
    write();
  }

  /** Writes a result. */
  void settle(StepEvent result) {
    unwritten.add(new Unwritten(null, true, result));
    write();
  }

  /** Requests that no result was written after; they go before the attempt's end where the run goes on. */
  List<RunEvent> unwrittenRequests(EventHeader header) {
    return unwritten.stream()
        .filter(each -> !each.urgent)
        .map(each -> each.event.of(header))
        .toList();
  }

  /**
   * Others have written to the run: takes the results that are among it.
   *
   * @param news the last of the run's events, as far as they are at hand; what comes between them and what is known
   *     already is read
   */
  void changed(RunRecord run, List<RunEvent> news) {
    latest = Math.max(latest, run.eventSequence()); // what is under way may not know of it
    StepHistory known = history;
    if (known == null || !known.hasPending() || run.eventSequence() <= reader.seen()) {
      return;
    }
    if (isIdle() && !news.isEmpty() && run.eventSequence() - news.size() == reader.seen()) {
      if (isTaken(news, run.eventSequence())) {
        listener.settled(known.newlySettled());
      }
    } else {
      missed = true;
      write();
    }
  }

  /** One command at a time; what comes up meanwhile goes together in the next. */
  private void write() {
    StepHistory known = history;
    if (busy || over || known == null) {
      return;
    }
    if (missed) {
      readOn();
    } else if (unwritten.stream().anyMatch(Unwritten::urgent)) {
      List<Unwritten> next = unwritten.subList(0, Math.min(unwritten.size(), MOST_EVENTS));
      List<Unwritten> batch = List.copyOf(next);
      next.clear();
      busy = true;
      held.append(run -> events(run, batch)).onComplete(stored -> {
        busy = false;
        if (over) {
          return;
        }
        if (stored.failed()) {
          listener.failed(stored.cause());
          return;
        }
        stored(batch, stored.result(), known);
      });
    }
  }

  private void stored(List<Unwritten> batch, HeldRun.Written written, StepHistory known) {
    long before = written.sequence() - written.events().size();
    boolean asks = batch.stream().anyMatch(each -> each.call != null);
    if ((asks || known.hasPending()) && before > reader.seen()) {
      missed = true; // what others wrote before, and with it the own events
    } else if (!isTaken(written.events(), written.sequence())) {
      return;
    } else {
      // A result may be stored before the answer to its own request is here.
      missed = known.hasPending() && latest > reader.seen();
    }
    for (Unwritten each : batch) {
      if (each.call != null) {
        listener.requested(each.call);
      }
    }
    listener.settled(known.newlySettled());
    write();
  }

  /** Whether the events are in the history; else the attempt has failed. */
  private boolean isTaken(List<RunEvent> events, long last) {
    try {
      reader.stored(events, last);
      return true;
    } catch (RunlaneException tooLarge) {
      listener.failed(tooLarge);
      return false;
    }
  }

  private void readOn() {
    missed = false;
    reading(() -> reader.readOn(this::isGivenUp), read -> listener.settled(read.newlySettled()));
  }

  private <T> void reading(Supplier<Future<T>> begin, Consumer<T> took) {
    busy = true;
    begin.get().onComplete(read -> {
      busy = false;
      if (over) {
        return;
      }
      if (read.failed()) {
        listener.failed(read.cause());
        return;
      }
      took.accept(read.result());
      write();
    });
  }

  private List<RunEvent> events(RunRecord run, List<Unwritten> batch) {
    EventHeader header = context.appends().header(run).withTrace(run.traceCarrier());
    return batch.stream().map(each -> each.event.of(header)).toList();
  }

  /** Makes an event when it is written. */
  interface StepEvent {
    RunEvent of(EventHeader header);
  }

  /** Told on the home context. */
  interface Listener {
    /** The steps of the attempts before are known. */
    void opened(StepHistory history);

    /** The request of a remote step is stored. */
    void requested(StepCall<?> call);

    /** These results are stored, by whomever; perhaps none. */
    void settled(List<OrderedStepResults.Settled> results);

    /** Whether the lease of the attempt is over. */
    boolean isLeaseOver();

    /** The history can be neither read nor written. */
    void failed(Throwable cause);
  }

  /** An event to be written: with the call it is the request of, if that is remote; not urgent: it can wait. */
  private record Unwritten(@Nullable StepCall<?> call, boolean urgent, StepEvent event) {}
}
