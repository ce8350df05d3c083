package dev.runlane.simulation.world;

import java.util.ArrayList;
import java.util.List;

/** What happened, one line each, in order. Off unless somebody wants to read it: most seeds are not looked at. */
public final class Trace {
  private final VirtualTime time;
  private final boolean on;
  private final List<Line> lines = new ArrayList<>();

  /** @param on whether lines are kept */
  public Trace(VirtualTime time, boolean on) {
    this.time = time;
    this.on = on;
  }

  /** Whether a line would be kept; asked before one is put together. */
  public boolean isOn() {
    return on;
  }

  /** Notes what happened in a process, or in the world. */
  public void note(Lifetime life, String text) {
    if (on) {
      lines.add(new Line(time.now(), life.process(), text));
    }
  }

  /** All lines so far. */
  public List<Line> lines() {
    return List.copyOf(lines);
  }

  /**
   * One thing that happened.
   *
   * @param micros when, in true time since the start
   * @param process where; -1: in the world
   */
  public record Line(long micros, int process, String text) {}
}
