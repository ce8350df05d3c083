package dev.runlane.drills.fleet;

import dev.runlane.drills.process.Await;
import io.vertx.core.Future;
import java.time.Duration;

/**
 * A caller in this JVM that triggers a workload in portions, when the drill says so: there is work before, during and
 * after each fault, however slow the machine is.
 */
public final class PacedLoad {
  /** So short that a run that was lost does not wait long behind others. */
  private static final int BACKLOG = 400;

  private static final long LOOK_MILLIS = 20;
  private static final String ACTIVE = "SELECT count(*) FROM runlane.active_runs";

  private final Drill drill;
  private final Workload workload;
  private final int items;
  private final Duration bound;
  private int permitted;
  private Future<?> triggered = Future.succeededFuture();

  private PacedLoad(Drill drill, Workload workload, int items, Duration bound) {
    this.drill = drill;
    this.workload = workload;
    this.items = items;
    this.bound = bound;
  }

  /** Nothing is triggered yet; what is waited for must happen within {@code bound}. */
  public static PacedLoad start(Drill drill, long seed, int items, Duration bound) {
    return new PacedLoad(drill, new Workload(seed), items, bound);
  }

  /** Has so many items triggered, whole hundreds, and waits until so many more runs have ended. */
  public void add(int part, int toEnd) {
    long enough =
        drill.endedRuns() + toEnd; // looked at first: they may all have ended a moment later
    triggerTo(permitted + part);
    Await.until(enough + " runs have ended", bound, () -> drill.endedRuns() >= enough);
  }

  /** Has the rest triggered, and waits until it is. */
  public void addRest() {
    triggerTo(items);
    Await.until("everything is triggered", bound, triggered::isComplete);
    Await.result(triggered);
  }

  private void triggerTo(int end) {
    for (int next = permitted; next < end; next += TriggerProgram.TOGETHER) {
      int from = next;
      int to = Math.min(end, next + TriggerProgram.TOGETHER);
      triggered = triggered
          .compose(before -> TriggerProgram.trigger(drill.runtime(), workload, from, to))
          .compose(done -> untilFewAreActive());
    }
    permitted = end;
  }

  private Future<?> untilFewAreActive() {
    return areFewActive()
        .compose(few -> few
            ? Future.succeededFuture()
            : drill.runtime().vertx().timer(LOOK_MILLIS).compose(passed -> untilFewAreActive()));
  }

  /** Not while nobody can tell, since Postgres is away. */
  private Future<Boolean> areFewActive() {
    return drill
        .runtime()
        .pool()
        .query(ACTIVE)
        .execute()
        .map(rows -> rows.iterator().next().getLong(0) <= BACKLOG)
        .otherwise(false);
  }

  /** What one of so many equal parts of the items is, in whole hundreds; the rest is more. */
  public static int part(int items, int parts) {
    return items / (parts * TriggerProgram.TOGETHER) * TriggerProgram.TOGETHER;
  }
}
