package dev.runlane.console.access;

import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.timing.Clock;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts unknown tokens by the address they came from, an IPv6 one by its network of 64 bits. An address with too many
 * within a minute is refused until that minute is over. Belongs to one context.
 */
public final class FailedLogins {
  private static final Duration WINDOW = Duration.ofMinutes(1);
  /** The most addresses of which something is known = {@value}. */
  static final int MOST_ADDRESSES = 10_000;

  private static final int NETWORK_BYTES = 8; // of an IPv6 address

  private final int most;
  private final Clock clock;
  private final Map<String, Count> counts = new LinkedHashMap<>();

  /** So many an address and minute. */
  public FailedLogins(int most, Clock clock) {
    this.most = most;
    this.clock = clock;
  }

  /** Refuses with 429 an address that failed too often. */
  public void check(@Nullable SocketAddress from) {
    Count count = counts.get(key(from));
    if (count != null && count.failures >= most && clock.now().isBefore(count.since.plus(WINDOW))) {
      throw new ApiRefusal(ApiError.of(
          429, "too_many_failed_logins", "too many tokens were refused; wait for a minute"));
    }
  }

  /** Counts one. */
  public void failed(@Nullable SocketAddress from) {
    Instant now = clock.now();
    String key = key(from);
    Count count = counts.get(key);
    if (count == null || !now.isBefore(count.since.plus(WINDOW))) {
      counts.remove(key);
      if (counts.size() >= MOST_ADDRESSES) {
        counts.remove(counts.keySet().iterator().next());
      }
      count = new Count(now);
      counts.put(key, count);
    }
    count.failures++;
  }

  /** Of how many addresses something is known. */
  int size() {
    return counts.size();
  }

  private static String key(@Nullable SocketAddress from) {
    String host = from == null || from.hostAddress() == null ? "" : from.hostAddress();
    if (host.indexOf(':') < 0) {
      return host;
    }
    try {
      byte[] address = InetAddress.getByName(host).getAddress(); // a literal: no name is looked up
      return HexFormat.of().formatHex(address, 0, Math.min(NETWORK_BYTES, address.length));
    } catch (UnknownHostException malformed) {
      return host;
    }
  }

  /** The failures of one address since an instant. */
  private static final class Count {
    final Instant since;
    int failures;

    Count(Instant since) {
      this.since = since;
    }
  }
}
