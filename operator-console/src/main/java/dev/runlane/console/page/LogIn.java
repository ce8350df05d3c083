package dev.runlane.console.page;

/** How people log in. */
public enum LogIn {
  /** By a token that the page asks for. */
  TOKEN("token"),
  /** With a provider of OpenID Connect, to which the page leads. */
  OIDC("oidc");

  private final String value;

  LogIn(String value) {
    this.value = value;
  }

  /** What the page calls it. */
  String value() {
    return value;
  }
}
