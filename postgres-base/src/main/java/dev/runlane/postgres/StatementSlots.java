package dev.runlane.postgres;

import io.vertx.core.Context;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The few statements of gathered commands that one process has under way at a time. A gatherer that finds
 * no slot free waits in line, and meanwhile gathers more. Touched on one context only.
 */
public final class StatementSlots {
  /** Statements under way at a time = {@value}. */
  public static final int DEFAULT_SLOTS = 2;

  private final Context context;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private final int size;
  private int free;

  /** Slots whose users all live on {@code context}. */
  public StatementSlots(Context context, int slots) {
    this.context = context;
    this.size = slots;
    this.free = slots;
  }

  int size() {
    return size;
  }

  Context context() {
    return context;
  }

  /** Calls {@code flush} in a later turn, once a slot is free; it must end in {@link #release()}. */
  void acquire(Runnable flush) {
    if (free > 0) {
      free--;
      context.runOnContext(turn -> flush.run());
    } else {
      waiting.add(flush);
    }
  }

  void release() {
    Runnable next = waiting.poll();
    if (next == null) {
      free++;
    } else {
      context.runOnContext(turn -> next.run());
    }
  }
}
