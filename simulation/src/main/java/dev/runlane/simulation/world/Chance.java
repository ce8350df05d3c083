package dev.runlane.simulation.world;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One row of random choices. Each use of chance has a row of its own, so that one choice more moves no other. */
public final class Chance {
  private final SplittableRandom random;
  private @Nullable Duration lastLeast;
  private @Nullable Duration lastMost;
  private double low;
  private double high;

  private Chance(SplittableRandom random) {
    this.random = random;
  }

  /** The row of this name that belongs to the seed. */
  public static Chance of(long seed, String name) {
    long mixed = seed * 0x9E3779B97F4A7C15L + name.hashCode() * 0xBF58476D1CE4E5B9L;
    return new Chance(new SplittableRandom(mixed));
  }

  /** True as often as the rate says, from 0 to 1. */
  public boolean happens(double rate) {
    return rate > 0 && random.nextDouble() < rate;
  }

  /** A whole number from {@code least} to {@code most}, both included. */
  public int from(int least, int most) {
    return random.nextInt(least, most + 1);
  }

  /** Any number. */
  public long number() {
    return random.nextLong();
  }

  /** A span of time in microseconds, short ones as likely as long ones: evenly over the orders of magnitude. */
  @SuppressWarnings("ReferenceEquality") // an equal one costs time, no more
  public long micros(Duration least, Duration most) {
    if (least != lastLeast || most != lastMost) { // mostly the same two again
      low = Math.log((double) Math.max(1, VirtualTime.micros(least)));
      high = Math.log((double) Math.max(1, VirtualTime.micros(most)));
      lastLeast = least;
      lastMost = most;
    }
    return (long) Math.exp(low + random.nextDouble() * (high - low));
  }

  /** A span of time, as {@link #micros}. */
  public Duration duration(Duration least, Duration most) {
    return Duration.ofNanos(micros(least, most) * 1_000);
  }

  /** A point of time in microseconds, evenly between the two. */
  public long point(long from, long until) {
    return from + (long) (random.nextDouble() * (until - from));
  }

  /** One of them. */
  public <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
