package dev.runlane.console;

import static dev.runlane.options.OptionTypes.choice;
import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.filled;
import static dev.runlane.options.OptionTypes.nested;
import static dev.runlane.options.OptionTypes.objects;
import static dev.runlane.options.OptionTypes.text;
import static dev.runlane.options.OptionTypes.texts;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.console.access.OidcOptions;
import dev.runlane.console.access.Role;
import dev.runlane.console.access.TokenOptions;
import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Where the console listens, who may ask what, and its limits. */
public final class ConsoleOptions extends OptionValues<ConsoleOptions> {
  /** Only this machine's own processes reach it = 127.0.0.1. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** The port = 8378. */
  public static final int DEFAULT_PORT = 8_378;

  /** The largest body in bytes = 2 MiB: a payload of the largest size, and what goes with it. */
  public static final int DEFAULT_MAX_BODY_BYTES = 2 << 20;

  /** What a request may take = 30 s. */
  public static final Duration DEFAULT_REQUEST_TIMEOUT = Duration.ofSeconds(30);

  /** Connections at the same time = 1 000. */
  public static final int DEFAULT_MAX_CONNECTIONS = 1_000;

  /** Refused tokens of one address within a minute = 10. */
  public static final int DEFAULT_MAX_FAILED_LOGINS = 10;

  /** Event streams at the same time = 100. */
  public static final int DEFAULT_MAX_STREAMS = 100;

  private static final OptionSet OPTIONS = OptionSet.of("an operator console");
  private static final Option<String> HOST = OPTIONS.add("host", DEFAULT_HOST, filled());
  private static final Option<Integer> PORT = OPTIONS.add("port", DEFAULT_PORT, whole(0, 65_535));
  private static final Option<String> PUBLIC_URL = OPTIONS.add(
      "publicUrl", null, text().checked("http or https URL", ConsoleOptions::requirePublicUrl));
  private static final Option<String> TRACE_URL = OPTIONS.add(
      "traceUrl", null, text().checked("http or https URL", ConsoleOptions::requireTraceUrl));
  private static final Option<String> CERTIFICATE_PATH =
      OPTIONS.add("certificatePath", null, filled());
  private static final Option<String> PRIVATE_KEY_PATH =
      OPTIONS.add("privateKeyPath", null, filled());
  private static final Option<List<TokenOptions>> TOKENS = OPTIONS.add(
      "tokens",
      List.of(),
      objects("list of tokens", TokenOptions::new, TokenOptions::toJson).unwritten());
  private static final Option<String> TOKENS_PATH = OPTIONS.add("tokensPath", null, filled());
  private static final Option<OidcOptions> OIDC =
      OPTIONS.add("oidc", null, nested(OidcOptions::new, OidcOptions::new).unwritten());
  private static final Option<Integer> MAX_FAILED_LOGINS =
      OPTIONS.add("maxFailedLogins", DEFAULT_MAX_FAILED_LOGINS, whole(1));
  private static final Option<List<String>> MASKED_PATHS =
      OPTIONS.add("maskedPaths", List.of(), texts());
  private static final Option<Role> UNMASKED_FOR =
      OPTIONS.add("unmaskedFor", Role.ADMIN, choice(List.of(Role.values()), Role::value));
  private static final Option<Integer> MAX_BODY_BYTES =
      OPTIONS.add("maxBodyBytes", DEFAULT_MAX_BODY_BYTES, whole(1_024));
  private static final Option<Integer> MAX_CONNECTIONS =
      OPTIONS.add("maxConnections", DEFAULT_MAX_CONNECTIONS, whole(1));
  private static final Option<Integer> MAX_STREAMS =
      OPTIONS.add("maxStreams", DEFAULT_MAX_STREAMS, whole(1));
  private static final Option<Duration> REQUEST_TIMEOUT =
      OPTIONS.add("requestTimeout", DEFAULT_REQUEST_TIMEOUT, duration());

  /** The defaults: on the loopback address, without tokens. */
  public ConsoleOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public ConsoleOptions(ConsoleOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public ConsoleOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The address it listens on. */
  public String getHost() {
    return get(HOST);
  }

  /** Sets the address it listens on. Beyond the loopback address tokens or log-ins are needed. */
  public ConsoleOptions setHost(String host) {
    return set(HOST, host);
  }

  /** The port. */
  public int getPort() {
    return get(PORT);
  }

  /** Sets the port: 0 to 65535, where 0 is any that is free. */
  public ConsoleOptions setPort(int port) {
    return set(PORT, port);
  }

  /** What browsers call it behind a proxy. */
  public Optional<String> getPublicUrl() {
    return find(PUBLIC_URL);
  }

  /** Sets what browsers call it behind a proxy, such as {@code https://runs.example.com}: no path, no query. */
  public ConsoleOptions setPublicUrl(String publicUrl) {
    return set(PUBLIC_URL, publicUrl);
  }

  /** Where traces of runs are shown. */
  public Optional<String> getTraceUrl() {
    return find(TRACE_URL);
  }

  /** Sets where traces are shown; {@code {traceId}} in it stands for the id of one in W3C form. */
  public ConsoleOptions setTraceUrl(String traceUrl) {
    return set(TRACE_URL, traceUrl);
  }

  /** A PEM file with the certificate and its chain, for TLS. */
  public Optional<String> getCertificatePath() {
    return find(CERTIFICATE_PATH);
  }

  /** Sets the PEM file with the certificate and its chain; needs the private key too. */
  public ConsoleOptions setCertificatePath(String certificatePath) {
    return set(CERTIFICATE_PATH, certificatePath);
  }

  /** A PEM file with the certificate's private key. */
  public Optional<String> getPrivateKeyPath() {
    return find(PRIVATE_KEY_PATH);
  }

  /** Sets the PEM file with the certificate's private key. */
  public ConsoleOptions setPrivateKeyPath(String privateKeyPath) {
    return set(PRIVATE_KEY_PATH, privateKeyPath);
  }

  /** Who may ask; without any, everybody who reaches the loopback address, as admin. */
  public List<TokenOptions> getTokens() {
    return get(TOKENS);
  }

  /** Sets who may ask; from then on each request needs one of them. */
  public ConsoleOptions setTokens(List<TokenOptions> tokens) {
    return set(TOKENS, tokens.stream().map(TokenOptions::new).toList());
  }

  /** A JSON file with more of them, an object with {@code tokens} alone, which is read again each minute. */
  public Optional<String> getTokensPath() {
    return find(TOKENS_PATH);
  }

  /**
   * Sets a JSON file with more tokens, {@code {"tokens": […]}}: it is read again each minute, and who stands in it no
   * more is refused from then on, on streams that are open too. Each request needs a token from then on, also while the
   * file has none.
   */
  public ConsoleOptions setTokensPath(String tokensPath) {
    return set(TOKENS_PATH, tokensPath);
  }

  /** People who log in with OpenID Connect; empty: nobody does. */
  public Optional<OidcOptions> getOidc() {
    return find(OIDC);
  }

  /** Lets people log in with OpenID Connect; they are copied. */
  public ConsoleOptions setOidc(OidcOptions oidc) {
    return set(OIDC, new OidcOptions(oidc));
  }

  /** How many unknown tokens an address may show within a minute. */
  public int getMaxFailedLogins() {
    return get(MAX_FAILED_LOGINS);
  }

  /** Sets how many unknown tokens an address may show within a minute; at least 1. */
  public ConsoleOptions setMaxFailedLogins(int maxFailedLogins) {
    return set(MAX_FAILED_LOGINS, maxFailedLogins);
  }

  /** JSON paths of values that not everybody may see. */
  public List<String> getMaskedPaths() {
    return get(MASKED_PATHS);
  }

  /** Sets JSON paths of values that not everybody may see, in runs, events and jobs: {@code $.payload.card}. */
  public ConsoleOptions setMaskedPaths(List<String> maskedPaths) {
    return set(MASKED_PATHS, maskedPaths);
  }

  /** The role from which on values are not masked. */
  public Role getUnmaskedFor() {
    return get(UNMASKED_FOR);
  }

  /** Sets the role from which on values are not masked. */
  public ConsoleOptions setUnmaskedFor(Role unmaskedFor) {
    return set(UNMASKED_FOR, unmaskedFor);
  }

  /** The largest body of a request in bytes. */
  public int getMaxBodyBytes() {
    return get(MAX_BODY_BYTES);
  }

  /** Sets the largest body of a request in bytes; at least 1024. */
  public ConsoleOptions setMaxBodyBytes(int maxBodyBytes) {
    return set(MAX_BODY_BYTES, maxBodyBytes);
  }

  /** How many connections there may be at the same time; more are closed at once. */
  public int getMaxConnections() {
    return get(MAX_CONNECTIONS);
  }

  /** Sets how many connections there may be at the same time. */
  public ConsoleOptions setMaxConnections(int maxConnections) {
    return set(MAX_CONNECTIONS, maxConnections);
  }

  /** How many event streams there may be at the same time; more are refused. */
  public int getMaxStreams() {
    return get(MAX_STREAMS);
  }

  /** Sets how many event streams there may be at the same time; at least 1. */
  public ConsoleOptions setMaxStreams(int maxStreams) {
    return set(MAX_STREAMS, maxStreams);
  }

  /** How long a request may take before it is given up. */
  public Duration getRequestTimeout() {
    return get(REQUEST_TIMEOUT);
  }

  /** Sets how long a request may take before it is given up; what it has begun may go on. */
  public ConsoleOptions setRequestTimeout(Duration requestTimeout) {
    return set(REQUEST_TIMEOUT, requestTimeout);
  }

  private static String requireTraceUrl(String option, String url) {
    parse(option, url.replace("{traceId}", "0"));
    return url;
  }

  /** As browsers write an origin: without the port that the scheme has anyway, and without a slash at the end. */
  private static String requirePublicUrl(String option, String url) {
    URI parsed = parse(option, url);
    if (parsed.getRawUserInfo() != null
        || parsed.getRawQuery() != null
        || parsed.getRawFragment() != null
        || !(parsed.getRawPath().isEmpty() || parsed.getRawPath().equals("/"))) {
      throw RunlaneException.configurationInvalid(
          "%s must be a scheme, a host and perhaps a port: the console is served at / alone",
          option);
    }
    int usual = parsed.getScheme().equals("https") ? 443 : 80;
    boolean isUsual = parsed.getPort() == -1 || parsed.getPort() == usual;
    return parsed.getScheme() + "://" + parsed.getHost() + (isUsual ? "" : ":" + parsed.getPort());
  }

  private static URI parse(String option, String url) {
    try {
      URI parsed = URI.create(url);
      if (parsed.getHost() != null
          && ("http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme()))) {
        return parsed;
      }
    } catch (IllegalArgumentException malformed) {
      // told below
    }
    throw RunlaneException.configurationInvalid("%s must be an http or https URL", option);
  }
}
