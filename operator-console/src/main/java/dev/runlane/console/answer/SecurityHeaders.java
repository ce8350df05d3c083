package dev.runlane.console.answer;

import io.vertx.core.http.HttpServerResponse;

/** What every answer tells browsers: load and frame nothing, guess nothing, keep nothing. */
public final class SecurityHeaders {
  private static final String POLICY =
      "default-src 'none'; connect-src 'self'; img-src 'self'; script-src 'self'; style-src 'self'; base-uri 'none';"
          + " form-action 'none'; frame-ancestors 'none'";
  private static final String HSTS = "max-age=31536000; includeSubDomains";

  private final boolean isEncrypted;

  /** For a console that browsers reach over TLS, or not. */
  public SecurityHeaders(boolean isEncrypted) {
    this.isEncrypted = isEncrypted;
  }

  /** Adds the headers. */
  public void add(HttpServerResponse response) {
    response
        .putHeader("content-security-policy", POLICY)
        .putHeader("x-content-type-options", "nosniff")
        .putHeader("x-frame-options", "DENY")
        .putHeader("referrer-policy", "no-referrer")
        .putHeader("cross-origin-opener-policy", "same-origin")
        .putHeader("cross-origin-resource-policy", "same-origin")
        .putHeader("permissions-policy", "camera=(), geolocation=(), microphone=()")
        .putHeader("cache-control", "no-store");
    if (isEncrypted) {
      response.putHeader("strict-transport-security", HSTS);
    }
  }
}
