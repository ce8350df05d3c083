package dev.runlane.webhook;

import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.ProxyType;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.Optional;

/** The proxy through which the JVM reaches an address of somebody else, for clients of Vert.x, which ask nobody. */
public final class OutboundProxy {
  private OutboundProxy() {}

  /**
   * What {@link ProxySelector#getDefault()} prefers for {@code address}: of the system properties {@code
   * https.proxyHost}, {@code https.proxyPort}, {@code http.proxyHost}, {@code http.nonProxyHosts}, {@code
   * socksProxyHost} and their like (Java's documentation, "Networking Properties"), or the application's own selector.
   * Empty: the address is reached directly. A proxy that wants a password is not supported.
   */
  public static Optional<ProxyOptions> of(URI address) {
    ProxySelector selector = ProxySelector.getDefault();
    return selector == null || address.getScheme() == null || address.getHost() == null
        ? Optional.empty()
        : selector.select(address).stream().findFirst().flatMap(OutboundProxy::options);
  }

  private static Optional<ProxyOptions> options(Proxy proxy) {
    return proxy.type() != Proxy.Type.DIRECT && proxy.address() instanceof InetSocketAddress socket
        ? Optional.of(new ProxyOptions()
            .setType(proxy.type() == Proxy.Type.HTTP ? ProxyType.HTTP : ProxyType.SOCKS5)
            .setHost(socket.getHostString())
            .setPort(socket.getPort()))
        : Optional.empty();
  }
}
