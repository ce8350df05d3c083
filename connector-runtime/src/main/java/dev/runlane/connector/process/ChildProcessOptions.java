package dev.runlane.connector.process;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;
import static dev.runlane.options.OptionTypes.wholeLong;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** Bounds of children; each holds for every child by itself. */
public final class ChildProcessOptions extends OptionValues<ChildProcessOptions> {
  /** Longest line = 64 MiB. */
  public static final int DEFAULT_MAX_LINE_BYTES = 64 << 20;

  /** Most output of one run = 64 GiB. */
  public static final long DEFAULT_MAX_OUTPUT_BYTES = 64L << 30;

  /** Read ahead of the handler = 512 KiB. */
  public static final int DEFAULT_READ_AHEAD_BYTES = 512 << 10;

  /** Waiting to be written to the child = 64 MiB. */
  public static final int DEFAULT_MAX_STDIN_BYTES = 64 << 20;

  /** Tail of the standard error = 16 KiB. */
  public static final int DEFAULT_STDERR_TAIL_BYTES = 16 << 10;

  /** Between SIGTERM and SIGKILL = 250 ms. */
  public static final Duration DEFAULT_TERMINATION_GRACE = Duration.ofMillis(250);

  /** Between SIGTERM and SIGKILL of a child whose environment has PDPP_TRACE=1 = 10 s. */
  public static final Duration DEFAULT_TRACED_TERMINATION_GRACE = Duration.ofSeconds(10);

  /** Silence of an output that outlives its child = 250 ms. */
  public static final Duration DEFAULT_DRAIN_SILENCE = Duration.ofMillis(250);

  private static final int LEAST_LINE_BYTES = 1 << 10;

  private static final int MOST_LINE_BYTES = 1 << 30;

  private static final OptionSet OPTIONS = OptionSet.of("a child process");
  private static final Option<Integer> MAX_LINE_BYTES =
      OPTIONS.add("maxLineBytes", DEFAULT_MAX_LINE_BYTES, whole(LEAST_LINE_BYTES, MOST_LINE_BYTES));
  private static final Option<Long> MAX_OUTPUT_BYTES =
      OPTIONS.add("maxOutputBytes", DEFAULT_MAX_OUTPUT_BYTES, wholeLong(1));
  private static final Option<Integer> READ_AHEAD_BYTES =
      OPTIONS.add("readAheadBytes", DEFAULT_READ_AHEAD_BYTES, whole(LEAST_LINE_BYTES));
  private static final Option<Integer> MAX_STDIN_BYTES =
      OPTIONS.add("maxStdinBytes", DEFAULT_MAX_STDIN_BYTES, whole(LEAST_LINE_BYTES));
  private static final Option<Integer> STDERR_TAIL_BYTES =
      OPTIONS.add("stderrTailBytes", DEFAULT_STDERR_TAIL_BYTES, whole(LEAST_LINE_BYTES, 1 << 20));
  private static final Option<Duration> TERMINATION_GRACE =
      OPTIONS.add("terminationGrace", DEFAULT_TERMINATION_GRACE, duration());
  private static final Option<Duration> TRACED_TERMINATION_GRACE =
      OPTIONS.add("tracedTerminationGrace", DEFAULT_TRACED_TERMINATION_GRACE, duration());
  private static final Option<Duration> DRAIN_SILENCE =
      OPTIONS.add("drainSilence", DEFAULT_DRAIN_SILENCE, duration());

  /** The defaults. */
  public ChildProcessOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public ChildProcessOptions(ChildProcessOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public ChildProcessOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The longest line in bytes, without its end. */
  public int getMaxLineBytes() {
    return get(MAX_LINE_BYTES);
  }

  /** Sets the longest line: 1 KiB to 1 GiB. A reader holds one line of this length at most. */
  public ChildProcessOptions setMaxLineBytes(int maxLineBytes) {
    return set(MAX_LINE_BYTES, maxLineBytes);
  }

  /** The most bytes a run may write on its standard output. */
  public long getMaxOutputBytes() {
    return get(MAX_OUTPUT_BYTES);
  }

  /** Sets the most output of a run: at least 1. */
  public ChildProcessOptions setMaxOutputBytes(long maxOutputBytes) {
    return set(MAX_OUTPUT_BYTES, maxOutputBytes);
  }

  /** How many bytes of decoded lines may wait for the handler, the batch it is at included. */
  public int getReadAheadBytes() {
    return get(READ_AHEAD_BYTES);
  }

  /** Sets what is read ahead: at least 1 KiB. A single longer line is handed over by itself. */
  public ChildProcessOptions setReadAheadBytes(int readAheadBytes) {
    return set(READ_AHEAD_BYTES, readAheadBytes);
  }

  /** How many bytes may wait to be written to a child. */
  public int getMaxStdinBytes() {
    return get(MAX_STDIN_BYTES);
  }

  /** Sets what may wait to be written: at least 1 KiB. A single longer line is taken when nothing else waits. */
  public ChildProcessOptions setMaxStdinBytes(int maxStdinBytes) {
    return set(MAX_STDIN_BYTES, maxStdinBytes);
  }

  /** How many bytes of the standard error are kept. */
  public int getStderrTailBytes() {
    return get(STDERR_TAIL_BYTES);
  }

  /** Sets how much of the standard error is kept: 1 KiB to 1 MiB. */
  public ChildProcessOptions setStderrTailBytes(int stderrTailBytes) {
    return set(STDERR_TAIL_BYTES, stderrTailBytes);
  }

  /** How long a terminated child has to exit before it is killed. */
  public Duration getTerminationGrace() {
    return get(TERMINATION_GRACE);
  }

  /** Sets the time between SIGTERM and SIGKILL: whole milliseconds, positive. */
  public ChildProcessOptions setTerminationGrace(Duration terminationGrace) {
    return set(TERMINATION_GRACE, terminationGrace);
  }

  /** How long a child that records a trace of its browser has before it is killed. */
  public Duration getTracedTerminationGrace() {
    return get(TRACED_TERMINATION_GRACE);
  }

  /**
   * Sets the time between SIGTERM and SIGKILL of a child whose environment has {@code PDPP_TRACE=1}: whole
   * milliseconds, positive. Writing the trace of a browser takes seconds, which no other child needs.
   */
  public ChildProcessOptions setTracedTerminationGrace(Duration tracedTerminationGrace) {
    return set(TRACED_TERMINATION_GRACE, tracedTerminationGrace);
  }

  /** How long an output whose child and descendants are gone may be silent before it is closed. */
  public Duration getDrainSilence() {
    return get(DRAIN_SILENCE);
  }

  /** Sets how long an output without its child may be silent: whole milliseconds, positive. */
  public ChildProcessOptions setDrainSilence(Duration drainSilence) {
    return set(DRAIN_SILENCE, drainSilence);
  }
}
