package dev.runlane.console.access;

import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps pages of other sites from acting through a browser that reaches the console: names that were bound to the
 * loopback address by their owner (DNS rebinding), and requests that a foreign page sends.
 */
public final class BrowserChecks {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1", "[::1]");
  private static final Set<HttpMethod> READS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
  private static final Set<String> OWN_SITE = Set.of("same-origin", "none");

  private final boolean isLoopback;
  private final boolean isEncrypted;
  private final @Nullable URI publicUrl;

  /**
   * Of one console.
   *
   * @param host where it listens
   * @param isEncrypted whether it speaks TLS itself
   * @param publicUrl what browsers call it, beside its address
   */
  public BrowserChecks(String host, boolean isEncrypted, Optional<URI> publicUrl) {
    isLoopback = isLoopback(host);
    this.isEncrypted = isEncrypted;
    this.publicUrl = publicUrl.orElse(null);
  }

  /** Whether only processes of this machine reach a console that listens there; names are not looked up. */
  public static boolean isLoopback(String host) {
    return LOOPBACK.contains(host.toLowerCase(Locale.ROOT)) || host.matches("127(\\.\\d{1,3}){3}");
  }

  /** Refuses with 403. */
  public void check(HttpServerRequest request) {
    if (isLoopback && !isOwnHost(request.authority())) {
      throw refusal("host_not_allowed", "the console is not called by this name");
    }
    if (READS.contains(request.method())) {
      return;
    }
    String site = request.getHeader("sec-fetch-site");
    if (site != null && !OWN_SITE.contains(site)) {
      throw refusal("cross_site_request", "a page of another site may not do this");
    }
    String origin = request.getHeader("origin");
    if (origin != null && !isOwnOrigin(origin, request.authority())) {
      throw refusal("cross_site_request", "a page of another origin may not do this");
    }
  }

  private boolean isOwnHost(@Nullable HostAndPort authority) {
    if (authority == null) {
      return false;
    }
    String host = authority.host().toLowerCase(Locale.ROOT);
    return isLoopback(host) || (publicUrl != null && host.equalsIgnoreCase(publicUrl.getHost()));
  }

  private boolean isOwnOrigin(String origin, @Nullable HostAndPort authority) {
    if (publicUrl != null && origin.equalsIgnoreCase(originOf(publicUrl))) {
      return true;
    }
    return authority != null
        && origin.equalsIgnoreCase((isEncrypted ? "https://" : "http://") + authority);
  }

  private static String originOf(URI url) {
    return url.getScheme() + "://" + url.getAuthority();
  }

  private static ApiRefusal refusal(String code, String message) {
    return new ApiRefusal(ApiError.of(403, code, message));
  }
}
