package dev.runlane.connector.http;

/** Carries an {@link HttpError} out of a handler to where envelopes are written. Has no trace: it is no fault. */
final class HttpRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient HttpError error;

  HttpRefusal(HttpError error) {
    super(error.code(), null, false, false);
    this.error = error;
  }

  HttpError error() {
    return error;
  }
}
