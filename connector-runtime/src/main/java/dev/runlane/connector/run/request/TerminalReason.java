package dev.runlane.connector.run.request;

/** Why a run did not complete, where no code of a sink says it. The string values are stored and never change. */
public final class TerminalReason {
  /** A check, the exit code or the number of records. */
  public static final String PROTOCOL_VIOLATION = "connector_protocol_violation";

  /** DONE said failed. */
  public static final String REPORTED_FAILED = "connector_reported_failed";

  /** DONE said cancelled, and no owner had. */
  public static final String REPORTED_CANCELLED = "connector_reported_cancelled";

  /** The output or the child ended without DONE. */
  public static final String EXIT_WITHOUT_DONE = "connector_exit_without_done";

  /** The child closed its input before the end. */
  public static final String STDIN_CLOSED = "connector_stdin_closed";

  /** The owner cancelled, and the child left when it was asked to. */
  public static final String OWNER_CANCELLED = "owner_cancelled";

  /** The owner cancelled, and the child had to be killed. */
  public static final String OWNER_CANCEL_FORCED = "owner_cancel_forced";

  /** The run, or the connector's silence, took too long. */
  public static final String RUN_TIMED_OUT = "run_timed_out";

  /** The runtime itself. */
  public static final String RUNTIME_ERROR = "runtime_error";

  /** Nothing could be started. */
  public static final String LAUNCH_FAILED = "launch_failed";

  /** The process that had the child stopped. */
  public static final String CONTROLLER_TERMINATED = "controller_terminated_before_run_finished";

  /** Behind it in the history where the process stopped as it was asked to, as in a roll, and did not die. */
  public static final String CONTROLLER_STOPPED = "controller_stopped";

  /** How every run stores: the {@code checkpoint_mode} of its terminal event. */
  public static final String CHECKPOINT_MODE = "checkpointed_streaming";

  private TerminalReason() {}
}
