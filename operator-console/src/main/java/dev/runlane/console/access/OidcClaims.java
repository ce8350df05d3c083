package dev.runlane.console.access;

import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.run.ContractDefaults;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an ID token whose signature was checked says, held to what was asked for: section 3.1.3.7 of <a
 * href="https://openid.net/specs/openid-connect-core-1_0.html">OpenID Connect Core</a>.
 */
final class OidcClaims {
  /** How far the provider's clock may be from ours = 60 s. */
  static final Duration LEEWAY = Duration.ofSeconds(60);

  private final OidcOptions options;

  OidcClaims(OidcOptions options) {
    this.options = options;
  }

  /** Who it is, until the session ends. Refuses with 401 what was not asked for, and with 403 who has no role. */
  Caller caller(@Nullable JsonObject claims, String nonce, Instant now) {
    if (claims == null
        || !options.getIssuer().orElse("").equals(claims.getValue("iss"))
        || !texts(claims.getValue("aud")).contains(options.getClientId().orElse(""))
        || !nonce.equals(claims.getValue("nonce"))
        || !(claims.getValue("exp") instanceof Number expires)
        || !now.minus(LEEWAY).isBefore(Instant.ofEpochSecond(expires.longValue()))) {
      throw new ApiRefusal(
          ApiError.of(401, "unauthorized", "the provider's answer is not what was asked for"));
    }
    return new Caller(name(claims), role(claims), now.plus(options.getSession()));
  }

  /** People may choose their name, be it a token's or somebody else's: the subject behind it is the provider's. */
  private String name(JsonObject claims) {
    String subject = '(' + text(claims, "sub") + ')';
    String name = text(claims, options.getNameClaim());
    return Stream.of(name + ' ' + subject, subject)
        .map(String::strip)
        .filter(each -> subject.length() > 2 && isShort(each))
        .findFirst()
        .orElseThrow(() -> new ApiRefusal(
            ApiError.of(401, "unauthorized", "the provider does not say who logged in")));
  }

  private static String text(JsonObject claims, String claim) {
    return claims.getValue(claim) instanceof String text ? text.strip() : "";
  }

  private static boolean isShort(String name) {
    return name.getBytes(StandardCharsets.UTF_8).length <= ContractDefaults.MAX_ID_BYTES;
  }

  private Role role(JsonObject claims) {
    List<String> roles = texts(at(claims, options.getRoleClaim()));
    return Stream.of(Role.ADMIN, Role.OPERATOR, Role.VIEWER)
        .filter(role -> roles.stream().anyMatch(making(role)::contains))
        .findFirst()
        .orElseThrow(() -> new ApiRefusal(ApiError.of(
            403, "role_missing", "the provider gives this person no role of this console")));
  }

  private List<String> making(Role role) {
    return switch (role) {
      case ADMIN -> options.getAdmins();
      case OPERATOR -> options.getOperators();
      case VIEWER -> options.getViewers();
    };
  }

  private static @Nullable Object at(JsonObject claims, String path) {
    if (claims.containsKey(path)) {
      return claims.getValue(path);
    }
    Optional<Object> found = Optional.of(claims);
    for (String name : path.split("[.]", -1)) {
      found = found.filter(JsonObject.class::isInstance).map(each -> ((JsonObject) each)
          .getValue(name));
    }
    return found.orElse(null);
  }

  private static List<String> texts(@Nullable Object value) {
    if (value instanceof String text) {
      return List.of(text);
    }
    return value instanceof JsonArray array
        ? array.stream()
            .filter(String.class::isInstance)
            .map(String.class::cast)
            .toList()
        : List.of();
  }
}
