package dev.runlane.console.answer;

/** Ends a request with an error that is the caller's to mend. */
public final class ApiRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ApiError error;

  /** A refusal that says this. */
  public ApiRefusal(ApiError error) {
    super(error.message(), null, false, false); // no stack: nothing of ours is at fault
    this.error = error;
  }

  /** Malformed input. */
  public static ApiRefusal invalid(String param, String message) {
    return new ApiRefusal(ApiError.invalid(param, message));
  }

  /** A resource that does not exist. */
  public static ApiRefusal notFound(String code, String message) {
    return new ApiRefusal(ApiError.of(404, code, message));
  }

  /** What is said. */
  public ApiError error() {
    return error;
  }
}
