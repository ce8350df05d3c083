package dev.runlane.drills.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import java.time.Duration;

/**
 * A caller that triggers a workload in portions, when the drill says so: there is work before, during and
 * after each fault, however slow the machine is.
 */
public final class PacedLoad {
  /** So short that a run that was lost does not wait long behind others. */
  private static final int BACKLOG = 400;

  private final Drill drill;
  private final JavaProcess caller;
  private final int items;
  private final Duration bound;
  private int permitted;

  private PacedLoad(Drill drill, JavaProcess caller, int items, Duration bound) {
    this.drill = drill;
    this.caller = caller;
    this.items = items;
    this.bound = bound;
  }

  /** Starts the caller, which waits; what is waited for must happen within {@code bound}. */
  public static PacedLoad start(Drill drill, long seed, int items, Duration bound) {
    JavaProcess caller = drill.fork(
        "caller", TriggerProgram.class, Drill.with(drill.target(), seed, 0, items, BACKLOG));
    return new PacedLoad(drill, caller, items, bound);
  }

  /** Has about this part of all items triggered, and waits until so many more runs have ended. */
  public void add(int part, int toEnd) {
    permitted += part;
    caller.send(String.valueOf(permitted));
    long enough = drill.endedRuns() + toEnd;
    Await.until(enough + " runs have ended", bound, () -> drill.endedRuns() >= enough);
  }

  /** Has the rest triggered, and waits until it is. */
  public void addRest() {
    caller.send(String.valueOf(items));
    assertThat(caller.awaitExit(bound)).isZero();
  }

  /** What one of so many equal parts of the items is, in whole hundreds; the rest is more. */
  public static int part(int items, int parts) {
    return items / (parts * TriggerProgram.TOGETHER) * TriggerProgram.TOGETHER;
  }
}
