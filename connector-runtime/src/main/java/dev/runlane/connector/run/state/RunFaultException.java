package dev.runlane.connector.run.state;

/** Carries a fault through a chain of futures; never leaves this package. */
public final class RunFaultException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient RunFault fault;

  public RunFaultException(RunFault fault) {
    super(fault.reason(), null, false, false); // an answer, not a failure: no stack
    this.fault = fault;
  }

  RunFault fault() {
    return fault;
  }
}
