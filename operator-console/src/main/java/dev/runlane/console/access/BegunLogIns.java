package dev.runlane.console.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Log-ins that browsers began. All of one follows from its name, which the browser keeps, and from a key that this
 * process keeps: nothing is remembered, so nobody who begins many makes others lose theirs.
 */
final class BegunLogIns {
  /** How long a person has to log in with the provider = 10 min. */
  static final Duration LASTING = Duration.ofMinutes(10);

  private static final String HASH = "HmacSHA256";

  private final SecretKeySpec key =
      new SecretKeySpec(Sessions.secret().getBytes(StandardCharsets.US_ASCII), HASH);

  /**
   * One that begins now.
   *
   * @param isSecond whether it follows on one that failed for the console's sake
   */
  Begun begin(Instant now, boolean isSecond) {
    return of(now.getEpochSecond() + (isSecond ? ".2." : ".1.") + Sessions.secret());
  }

  /** The one of a name; empty where that is none, or was given too long ago. */
  Optional<Begun> find(String name, Instant now) {
    int end = name.indexOf('.');
    try {
      Instant began = Instant.ofEpochSecond(Long.parseLong(name.substring(0, Math.max(0, end))));
      return now.isBefore(began.plus(LASTING)) ? Optional.of(of(name)) : Optional.empty();
    } catch (NumberFormatException | DateTimeException | ArithmeticException foreign) {
      return Optional.empty();
    }
  }

  private Begun of(String name) {
    return new Begun(
        name,
        name.contains(".2."),
        secret("state", name),
        secret("nonce", name),
        secret("verifier", name));
  }

  private String secret(String what, String name) {
    try {
      Mac mac = Mac.getInstance(HASH);
      mac.init(key);
      byte[] secret = mac.doFinal((what + ' ' + name).getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible); // every Java has this hash
    }
  }

  /**
   * One log-in.
   *
   * @param name what the browser keeps of it
   * @param isSecond whether it follows on one that failed for the console's sake
   * @param state comes back with the code
   * @param nonce comes back in the ID token
   * @param verifier goes with the code to the provider, which knows its hash
   */
  record Begun(String name, boolean isSecond, String state, String nonce, String verifier) {}
}
