package dev.runlane.connector.process;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import java.time.Duration;

/** Bounds of children; each holds for every child by itself. */
public final class ChildProcessOptions {
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

  private int maxLineBytes = DEFAULT_MAX_LINE_BYTES;
  private long maxOutputBytes = DEFAULT_MAX_OUTPUT_BYTES;
  private int readAheadBytes = DEFAULT_READ_AHEAD_BYTES;
  private int maxStdinBytes = DEFAULT_MAX_STDIN_BYTES;
  private int stderrTailBytes = DEFAULT_STDERR_TAIL_BYTES;
  private Duration terminationGrace = DEFAULT_TERMINATION_GRACE;
  private Duration tracedTerminationGrace = DEFAULT_TRACED_TERMINATION_GRACE;
  private Duration drainSilence = DEFAULT_DRAIN_SILENCE;

  /** The defaults. */
  public ChildProcessOptions() {}

  /** A copy. */
  public ChildProcessOptions(ChildProcessOptions other) {
    maxLineBytes = other.maxLineBytes;
    maxOutputBytes = other.maxOutputBytes;
    readAheadBytes = other.readAheadBytes;
    maxStdinBytes = other.maxStdinBytes;
    stderrTailBytes = other.stderrTailBytes;
    terminationGrace = other.terminationGrace;
    tracedTerminationGrace = other.tracedTerminationGrace;
    drainSilence = other.drainSilence;
  }

  /** The longest line in bytes, without its end. */
  public int getMaxLineBytes() {
    return maxLineBytes;
  }

  /** Sets the longest line: 1 KiB to 1 GiB. A reader holds one line of this length at most. */
  public ChildProcessOptions setMaxLineBytes(int maxLineBytes) {
    OptionChecks.requireAtLeast(LEAST_LINE_BYTES, "maxLineBytes", maxLineBytes);
    if (maxLineBytes > MOST_LINE_BYTES) {
      throw RunlaneException.configurationInvalid(
          "maxLineBytes must be at most %d, but is %d", MOST_LINE_BYTES, maxLineBytes);
    }
    this.maxLineBytes = maxLineBytes;
    return this;
  }

  /** The most bytes a run may write on its standard output. */
  public long getMaxOutputBytes() {
    return maxOutputBytes;
  }

  /** Sets the most output of a run: at least 1. */
  public ChildProcessOptions setMaxOutputBytes(long maxOutputBytes) {
    if (maxOutputBytes < 1) {
      throw RunlaneException.configurationInvalid(
          "maxOutputBytes must be at least 1, but is %d", maxOutputBytes);
    }
    this.maxOutputBytes = maxOutputBytes;
    return this;
  }

  /** How many bytes of decoded lines may wait for the handler, the batch it is at included. */
  public int getReadAheadBytes() {
    return readAheadBytes;
  }

  /** Sets what is read ahead: at least 1 KiB. A single longer line is handed over by itself. */
  public ChildProcessOptions setReadAheadBytes(int readAheadBytes) {
    this.readAheadBytes =
        OptionChecks.requireAtLeast(LEAST_LINE_BYTES, "readAheadBytes", readAheadBytes);
    return this;
  }

  /** How many bytes may wait to be written to a child. */
  public int getMaxStdinBytes() {
    return maxStdinBytes;
  }

  /** Sets what may wait to be written: at least 1 KiB. A single longer line is taken when nothing else waits. */
  public ChildProcessOptions setMaxStdinBytes(int maxStdinBytes) {
    this.maxStdinBytes =
        OptionChecks.requireAtLeast(LEAST_LINE_BYTES, "maxStdinBytes", maxStdinBytes);
    return this;
  }

  /** How many bytes of the standard error are kept. */
  public int getStderrTailBytes() {
    return stderrTailBytes;
  }

  /** Sets how much of the standard error is kept: 1 KiB to 1 MiB. */
  public ChildProcessOptions setStderrTailBytes(int stderrTailBytes) {
    OptionChecks.requireAtLeast(LEAST_LINE_BYTES, "stderrTailBytes", stderrTailBytes);
    if (stderrTailBytes > 1 << 20) {
      throw RunlaneException.configurationInvalid(
          "stderrTailBytes must be at most 1 MiB, but is %d", stderrTailBytes);
    }
    this.stderrTailBytes = stderrTailBytes;
    return this;
  }

  /** How long a child that is told to leave has before it is killed. */
  public Duration getTerminationGrace() {
    return terminationGrace;
  }

  /** Sets the time between SIGTERM and SIGKILL: whole milliseconds, positive. */
  public ChildProcessOptions setTerminationGrace(Duration terminationGrace) {
    this.terminationGrace = OptionChecks.requireMillis("terminationGrace", terminationGrace);
    return this;
  }

  /** How long a child that records a trace of its browser has before it is killed. */
  public Duration getTracedTerminationGrace() {
    return tracedTerminationGrace;
  }

  /**
   * Sets the time between SIGTERM and SIGKILL of a child whose environment has {@code PDPP_TRACE=1}: whole
   * milliseconds, positive. Writing the trace of a browser takes seconds, which no other child needs.
   */
  public ChildProcessOptions setTracedTerminationGrace(Duration tracedTerminationGrace) {
    this.tracedTerminationGrace =
        OptionChecks.requireMillis("tracedTerminationGrace", tracedTerminationGrace);
    return this;
  }

  /** How long an output whose child and descendants are gone may be silent before it is closed. */
  public Duration getDrainSilence() {
    return drainSilence;
  }

  /** Sets how long an output without its child may be silent: whole milliseconds, positive. */
  public ChildProcessOptions setDrainSilence(Duration drainSilence) {
    this.drainSilence = OptionChecks.requireMillis("drainSilence", drainSilence);
    return this;
  }
}
