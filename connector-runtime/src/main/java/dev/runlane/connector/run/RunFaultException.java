package dev.runlane.connector.run;

/** Carries a fault through a chain of futures; never leaves this package. */
final class RunFaultException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient RunFault fault;

  RunFaultException(RunFault fault) {
    super(fault.reason(), null, false, false); // an answer, not a failure: no stack
    this.fault = fault;
  }

  RunFault fault() {
    return fault;
  }
}
