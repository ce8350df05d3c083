package dev.runlane.connectorkit.browser;

import dev.runlane.connectorkit.message.Interaction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The browser that a connector wants. The receiver copies it. */
public final class BrowserOptions {

  /** Wait for the owner to log in by hand = 30 minutes. */
  public static final Duration DEFAULT_MANUAL_ACTION_LIMIT = Duration.ofMinutes(30);

  /** Wait for the browser to start = 30 seconds. */
  public static final Duration DEFAULT_LAUNCH_LIMIT = Duration.ofSeconds(30);

  private final String connectorName;
  private Duration manualActionLimit = DEFAULT_MANUAL_ACTION_LIMIT;
  private Duration launchLimit = DEFAULT_LAUNCH_LIMIT;
  private List<String> arguments = List.of();
  private String manualActionMessage;
  private @Nullable String profileName;
  private @Nullable SessionProbe sessionProbe;
  private @Nullable EnsureSession ensureSession;
  private @Nullable Path chromium;
  private @Nullable Path node;
  private @Nullable Path traceFolder;

  /**
   * A browser on the connector's own profile.
   *
   * @param connectorName names the profile unless {@link #setProfileName} does
   */
  public BrowserOptions(String connectorName) {
    this.connectorName = connectorName;
    manualActionMessage = "Log in to " + connectorName + " in the browser, then go on";
  }

  /** A copy. */
  public BrowserOptions(BrowserOptions other) {
    connectorName = other.connectorName;
    manualActionLimit = other.manualActionLimit;
    launchLimit = other.launchLimit;
    arguments = other.arguments;
    manualActionMessage = other.manualActionMessage;
    profileName = other.profileName;
    sessionProbe = other.sessionProbe;
    ensureSession = other.ensureSession;
    chromium = other.chromium;
    node = other.node;
    traceFolder = other.traceFolder;
  }

  /** The connector's name. */
  public String getConnectorName() {
    return connectorName;
  }

  /** The profile's name, without an instance. */
  public String getProfileName() {
    return profileName == null ? connectorName : profileName;
  }

  /** Another profile than the one named like the connector; letters, digits, {@code _} and {@code -}. */
  public BrowserOptions setProfileName(String profileName) {
    this.profileName = profileName;
    return this;
  }

  /** Says whether the session is live; null where nobody asks. */
  public @Nullable SessionProbe getSessionProbe() {
    return sessionProbe;
  }

  /** With a probe, a session that is not live becomes a question to the owner. */
  public BrowserOptions setSessionProbe(SessionProbe sessionProbe) {
    this.sessionProbe = sessionProbe;
    return this;
  }

  /** Logs in by itself; null where nothing does. */
  public @Nullable EnsureSession getEnsureSession() {
    return ensureSession;
  }

  /** Takes precedence over the probe, which is not asked then. */
  public BrowserOptions setEnsureSession(EnsureSession ensureSession) {
    this.ensureSession = ensureSession;
    return this;
  }

  /** How long the owner has for logging in by hand. */
  public Duration getManualActionLimit() {
    return manualActionLimit;
  }

  /** How long the owner has for logging in by hand; above zero, at most 36 500 days. */
  public BrowserOptions setManualActionLimit(Duration manualActionLimit) {
    this.manualActionLimit = positive("manualActionLimit", manualActionLimit);
    return this;
  }

  /** What the owner is asked to do. */
  public String getManualActionMessage() {
    return manualActionMessage;
  }

  /** What the owner is asked to do when the session is not live. */
  public BrowserOptions setManualActionMessage(String manualActionMessage) {
    this.manualActionMessage = manualActionMessage;
    return this;
  }

  /** How long the browser may take to start. */
  public Duration getLaunchLimit() {
    return launchLimit;
  }

  /**
   * How long the browser may take to start, and Node before it to tell its version; above zero, at most 36 500 days.
   */
  public BrowserOptions setLaunchLimit(Duration launchLimit) {
    this.launchLimit = positive("launchLimit", launchLimit);
    return this;
  }

  /** Further arguments for Chromium. */
  public List<String> getArguments() {
    return arguments;
  }

  /** Further arguments for Chromium. */
  public BrowserOptions setArguments(List<String> arguments) {
    this.arguments = List.copyOf(arguments);
    return this;
  }

  /** Chromium's program, or null to look for it. */
  public @Nullable Path getChromium() {
    return chromium;
  }

  /** Chromium's program; without it {@code CHROME_PATH} names it, or it is looked for on the path. */
  public BrowserOptions setChromium(Path chromium) {
    this.chromium = chromium;
    return this;
  }

  /** Node's program, or null to look for it. */
  public @Nullable Path getNode() {
    return node;
  }

  /** Node's program; without it {@code PLAYWRIGHT_NODEJS_PATH} names it, or it is looked for on the path. */
  public BrowserOptions setNode(Path node) {
    this.node = node;
    return this;
  }

  /** Where traces go, or null for {@code ~/.pdpp/traces}. */
  public @Nullable Path getTraceFolder() {
    return traceFolder;
  }

  /** Where traces go; without it, to {@code ~/.pdpp/traces}. */
  public BrowserOptions setTraceFolder(Path traceFolder) {
    this.traceFolder = traceFolder;
    return this;
  }

  private static Duration positive(String name, Duration value) {
    if (value.isNegative() || value.isZero() || value.compareTo(Interaction.LONGEST_WAIT) > 0) {
      throw new IllegalArgumentException(
          name + " must be above zero and at most " + Interaction.LONGEST_WAIT + ", was " + value);
    }
    return value;
  }
}
