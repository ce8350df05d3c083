package dev.runlane.console.access;

import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tokens of one console. Without any, everybody who reaches it is {@link Caller#LOCAL}. */
public final class AccessTokens {
  private static final String BEARER = "bearer ";
  private static final int LONGEST_HEADER = 1_024;

  private final List<Known> given;
  private final boolean hasFile;
  private final String environment;
  private final Clock clock;
  private volatile List<Known> tokens; // given and of the file

  /** Throws {@code ConfigurationInvalid} for a token that lacks a name or a hash. */
  public AccessTokens(List<TokenOptions> tokens, String environment, Clock clock) {
    this(tokens, environment, clock, false);
  }

  /**
   * The same with those that {@link #ofFile} brings.
   *
   * @param hasFile whether there is a file that may bring some: then a token is needed though there be none
   */
  public AccessTokens(List<TokenOptions> tokens, String environment, Clock clock, boolean hasFile) {
    this.environment = environment;
    this.clock = clock;
    this.hasFile = hasFile;
    given = known(tokens);
    this.tokens = given;
  }

  private List<Known> known(List<TokenOptions> options) {
    return options.stream().map(token -> Known.of(token, environment)).toList();
  }

  /**
   * Takes these beside those that were given, in the place of what was brought before. Throws {@code
   * ConfigurationInvalid} as the constructor does, and changes nothing then. Any thread.
   */
  public void ofFile(List<TokenOptions> brought) {
    tokens = Stream.concat(given.stream(), known(brought).stream()).toList();
  }

  /** Whether callers must show a token. */
  public boolean areNeeded() {
    return hasFile || !given.isEmpty();
  }

  /** Whether who shows this header is still this caller. */
  public boolean isStill(Caller caller, @Nullable String authorization) {
    if (!areNeeded()) {
      return true;
    }
    Known known = find(authorization);
    return known != null && known.caller().equals(caller);
  }

  /**
   * Who shows this header. Refuses with 401 what is no token of ours or no longer one, and with 403 one of another
   * environment. Compares with every token, so that the time taken tells nothing.
   *
   * @param authorization the header, or null
   */
  public Caller caller(@Nullable String authorization) {
    if (!areNeeded()) {
      return Caller.LOCAL;
    }
    Known known = find(authorization);
    if (known == null || !known.caller().isAllowedAt(clock.now())) {
      throw new ApiRefusal(ApiError.of(401, "unauthorized", "a valid token is needed"));
    }
    if (!known.environment().equals(environment)) {
      throw new ApiRefusal(ApiError.of(
          403, "other_environment", "the token is for another environment than " + environment));
    }
    return known.caller();
  }

  /**
   * Whether this header shows a token of ours, be it expired or of another environment: who shows one does not guess.
   *
   * @param authorization the header, or null
   */
  public boolean isKnown(@Nullable String authorization) {
    return find(authorization) != null;
  }

  private @Nullable Known find(@Nullable String authorization) {
    if (authorization == null
        || authorization.length() > LONGEST_HEADER
        || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return null;
    }
    byte[] hash = TokenOptions.hash(authorization.substring(BEARER.length()).strip());
    Known found = null;
    for (Known token : tokens) {
      if (MessageDigest.isEqual(HexFormat.of().parseHex(token.sha256()), hash)) {
        found = token;
      }
    }
    return found;
  }

  /** A token, ready to be compared. */
  private record Known(String sha256, String environment, Caller caller) {
    static Known of(TokenOptions token, String environment) {
      String name = token
          .getName()
          .orElseThrow(() -> RunlaneException.configurationInvalid("a token needs a name"));
      String hash = token
          .getSha256()
          .orElseThrow(() -> RunlaneException.configurationInvalid(
              "token %s needs the SHA-256 of what is shown", name));
      return new Known(
          hash,
          token.getEnvironment().orElse(environment),
          new Caller(name, token.getRole(), token.getExpiresAt().orElse(null)));
    }
  }
}
