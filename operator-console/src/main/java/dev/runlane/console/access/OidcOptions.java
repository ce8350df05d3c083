package dev.runlane.console.access;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.filled;
import static dev.runlane.options.OptionTypes.texts;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** People who log in with a provider of OpenID Connect, and what they may do. */
public final class OidcOptions extends OptionValues<OidcOptions> {
  /** How long a log-in lasts = 8 h. */
  public static final Duration DEFAULT_SESSION = Duration.ofHours(8);

  private static final OptionSet OPTIONS = OptionSet.of("OpenID Connect");
  private static final Option<String> ISSUER = OPTIONS.add("issuer", null, filled());
  private static final Option<String> CLIENT_ID = OPTIONS.add("clientId", null, filled());
  private static final Option<String> CLIENT_SECRET =
      OPTIONS.add("clientSecret", null, filled().unwritten());
  private static final Option<List<String>> SCOPES =
      OPTIONS.add("scopes", List.of("openid", "profile"), texts());
  private static final Option<String> NAME_CLAIM =
      OPTIONS.add("nameClaim", "preferred_username", filled());
  private static final Option<String> ROLE_CLAIM = OPTIONS.add("roleClaim", "roles", filled());
  private static final Option<List<String>> VIEWERS =
      OPTIONS.add("viewers", List.of("runlane-viewer"), texts());
  private static final Option<List<String>> OPERATORS =
      OPTIONS.add("operators", List.of("runlane-operator"), texts());
  private static final Option<List<String>> ADMINS =
      OPTIONS.add("admins", List.of("runlane-admin"), texts());
  private static final Option<Duration> SESSION =
      OPTIONS.add("session", DEFAULT_SESSION, duration());

  /** Without an issuer and a client, which it needs. */
  public OidcOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public OidcOptions(OidcOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public OidcOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The provider's address, below which {@code /.well-known/openid-configuration} is. */
  public Optional<String> getIssuer() {
    return find(ISSUER);
  }

  /** Sets the provider's address, as its tokens have it: https, unless it is on this machine. */
  public OidcOptions setIssuer(String issuer) {
    return set(ISSUER, issuer);
  }

  /** The id under which the provider knows this console. */
  public Optional<String> getClientId() {
    return find(CLIENT_ID);
  }

  /** Sets the id under which the provider knows this console. */
  public OidcOptions setClientId(String clientId) {
    return set(CLIENT_ID, clientId);
  }

  /** The client's secret; empty for a public client, which PKCE protects alone. */
  public Optional<String> getClientSecret() {
    return find(CLIENT_SECRET);
  }

  /** Sets the client's secret. */
  public OidcOptions setClientSecret(String secret) {
    return set(CLIENT_SECRET, secret);
  }

  /** What the provider is asked for. */
  public List<String> getScopes() {
    return get(SCOPES);
  }

  /** Sets what the provider is asked for; {@code openid} is among it. */
  public OidcOptions setScopes(List<String> scopes) {
    return set(SCOPES, List.copyOf(scopes));
  }

  /** The claim under whose value actions are recorded, with the subject ({@code sub}) in brackets behind it. */
  public String getNameClaim() {
    return get(NAME_CLAIM);
  }

  /** Sets the claim under whose value actions are recorded. */
  public OidcOptions setNameClaim(String claim) {
    return set(NAME_CLAIM, claim);
  }

  /** The claim that has a person's roles or groups, by a path with dots. */
  public String getRoleClaim() {
    return get(ROLE_CLAIM);
  }

  /** Sets the claim that has a person's roles or groups, such as {@code realm_access.roles}. */
  public OidcOptions setRoleClaim(String claim) {
    return set(ROLE_CLAIM, claim);
  }

  /** Whose roles make a viewer. */
  public List<String> getViewers() {
    return get(VIEWERS);
  }

  /** Sets whose roles make a viewer. */
  public OidcOptions setViewers(List<String> roles) {
    return set(VIEWERS, List.copyOf(roles));
  }

  /** Whose roles make an operator. */
  public List<String> getOperators() {
    return get(OPERATORS);
  }

  /** Sets whose roles make an operator. */
  public OidcOptions setOperators(List<String> roles) {
    return set(OPERATORS, List.copyOf(roles));
  }

  /** Whose roles make an admin. */
  public List<String> getAdmins() {
    return get(ADMINS);
  }

  /** Sets whose roles make an admin. */
  public OidcOptions setAdmins(List<String> roles) {
    return set(ADMINS, List.copyOf(roles));
  }

  /** How long a log-in lasts at most. */
  public Duration getSession() {
    return get(SESSION);
  }

  /** Sets how long a log-in lasts at most; positive. */
  public OidcOptions setSession(Duration session) {
    return set(SESSION, session);
  }
}
