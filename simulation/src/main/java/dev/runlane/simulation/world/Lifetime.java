package dev.runlane.simulation.world;

/**
 * One life of a process, from its start until it stops or is killed. What was scheduled in a life that is over never
 * happens; what falls due while it is paused happens when it goes on, in the same order.
 */
public final class Lifetime {
  /** Whose process it is when nobody's is: the storage, the transport and the course of the simulation. */
  public static final Lifetime WORLD = new Lifetime(-1, 0);

  private final int process;
  private final int life;
  private boolean over;
  private long pausedUntil;
  private long pausedMicros;

  /** A life that begins. */
  public Lifetime(int process, int life) {
    this.process = process;
    this.life = life;
  }

  /** The number of the process, from 0; -1 for the world. */
  public int process() {
    return process;
  }

  /** Whether the other is of the same life: that of its handlers, where this is that of the process. */
  public boolean isSame(Lifetime other) {
    return process == other.process && life == other.life;
  }

  /** Ends this life. */
  public void end() {
    over = true;
  }

  /** Whether this life has ended. */
  public boolean isOver() {
    return over;
  }

  /** Stops the process for a while, as SIGSTOP does. */
  public void pause(long now, long until) {
    pausedMicros += Math.max(0, until - Math.max(now, pausedUntil));
    pausedUntil = Math.max(pausedUntil, until);
  }

  /** When the process goes on, in microseconds of true time; in the past unless it is paused. */
  public long pausedUntil() {
    return pausedUntil;
  }

  /** How long it was, or will be, paused altogether. */
  public long pausedMicros() {
    return pausedMicros;
  }

  @Override
  public String toString() {
    return process < 0 ? "world" : "p" + process + "." + life;
  }
}
