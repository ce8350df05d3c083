package dev.runlane.console.access;

import static dev.runlane.options.OptionTypes.choice;
import static dev.runlane.options.OptionTypes.id;
import static dev.runlane.options.OptionTypes.text;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionType;
import dev.runlane.options.OptionValues;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** A bearer token: what it proves, and its hash. The token itself is kept nowhere. */
public final class TokenOptions extends OptionValues<TokenOptions> {
  /** The fewest characters of a token = 32. */
  public static final int SHORTEST_TOKEN = 32;

  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  private static final OptionType<Instant> INSTANT =
      OptionType.of("instant", TokenOptions::instant, Instant::toString);

  private static final OptionSet OPTIONS = OptionSet.of("a token");
  private static final Option<String> NAME = OPTIONS.add("name", null, id());
  private static final Option<String> SHA256 = OPTIONS.add(
      "sha256",
      null,
      text().checked("64 hexadecimal digits", TokenOptions::requireHash).unwritten());
  private static final Option<Role> ROLE =
      OPTIONS.add("role", Role.VIEWER, choice(List.of(Role.values()), Role::value));
  private static final Option<String> ENVIRONMENT =
      OPTIONS.add("environment", null, id(ContractDefaults.MAX_ENVIRONMENT_BYTES));
  private static final Option<Instant> EXPIRES_AT = OPTIONS.add("expiresAt", null, INSTANT);

  /** Of a viewer, without a name and a hash, which it needs. */
  public TokenOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public TokenOptions(TokenOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public TokenOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The name under which its actions are recorded. */
  public Optional<String> getName() {
    return find(NAME);
  }

  /** Sets the name under which its actions are recorded: a person's or a program's. */
  public TokenOptions setName(String name) {
    return set(NAME, name);
  }

  /** The SHA-256 of the token. */
  public Optional<String> getSha256() {
    return find(SHA256);
  }

  /** Sets the SHA-256 of the token's UTF-8, in 64 lower-case hexadecimal digits. */
  public TokenOptions setSha256(String sha256) {
    return set(SHA256, sha256);
  }

  /**
   * Sets the hash of this token, which must be random, since the hash is a fast one: at least {@value #SHORTEST_TOKEN}
   * characters.
   */
  public TokenOptions setToken(String token) {
    if (token.length() < SHORTEST_TOKEN) {
      throw RunlaneException.configurationInvalid(
          "a token must have at least %d characters", SHORTEST_TOKEN);
    }
    return setSha256(HexFormat.of().formatHex(hash(token)));
  }

  /** What it may do. */
  public Role getRole() {
    return get(ROLE);
  }

  /** Sets what it may do; a viewer unless set. */
  public TokenOptions setRole(Role role) {
    return set(ROLE, role);
  }

  /** The one environment that it is for; empty: the console's. */
  public Optional<String> getEnvironment() {
    return find(ENVIRONMENT);
  }

  /** Sets the one environment that it is for; a console of another one refuses it. */
  public TokenOptions setEnvironment(String environment) {
    return set(ENVIRONMENT, environment);
  }

  /** From when on it is refused; empty: never. */
  public Optional<Instant> getExpiresAt() {
    return find(EXPIRES_AT);
  }

  /** Sets from when on it is refused. */
  public TokenOptions setExpiresAt(Instant expiresAt) {
    return set(EXPIRES_AT, expiresAt);
  }

  /** The hash as it is compared. */
  static byte[] hash(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("every Java has SHA-256", missing);
    }
  }

  private static String requireHash(String option, String hash) {
    if (!HASH.matcher(hash).matches()) {
      throw RunlaneException.configurationInvalid(
          "%s must be 64 hexadecimal digits in lower case", option);
    }
    return hash;
  }

  private static Instant instant(String option, Object value) {
    try {
      return Instant.parse(String.valueOf(value));
    } catch (DateTimeException malformed) {
      throw RunlaneException.configurationInvalid(
              "%s must look like 2026-05-01T12:00:00Z, but is %s", option, value)
          .causedBy(malformed);
    }
  }
}
