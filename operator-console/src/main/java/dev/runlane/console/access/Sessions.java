package dev.runlane.console.access;

import dev.runlane.timing.Clock;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What is remembered of browsers under random names, for a while; the oldest goes where there are too many. */
final class Sessions<T> {
  private static final int SECRET_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Map<String, Kept<T>> kept = new LinkedHashMap<>();
  private final Clock clock;
  private final int most;

  Sessions(Clock clock, int most) {
    this.clock = clock;
    this.most = most;
  }

  /** A name that nobody guesses. */
  static String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Remembers it; answers the name. */
  String begin(T value, Duration lasting) {
    Instant now = clock.now();
    kept.values().removeIf(each -> !now.isBefore(each.until()));
    if (kept.size() >= most) {
      kept.remove(kept.keySet().iterator().next());
    }
    String name = secret();
    kept.put(hash(name), new Kept<>(value, now.plus(lasting)));
    return name;
  }

  Optional<T> find(String name) {
    return Optional.ofNullable(kept.get(hash(name)))
        .filter(each -> clock.now().isBefore(each.until()))
        .map(Kept::value);
  }

  /** The same, which is forgotten by it. */
  Optional<T> end(String name) {
    Optional<T> found = find(name);
    kept.remove(hash(name));
    return found;
  }

  private static String hash(String name) {
    return HexFormat.of().formatHex(TokenOptions.hash(name));
  }

  private record Kept<T>(T value, Instant until) {}
}
