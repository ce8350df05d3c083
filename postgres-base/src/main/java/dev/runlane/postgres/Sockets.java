package dev.runlane.postgres;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.VertxWrapper;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Vert.x for the driver of one connection. The drivers take no options for their sockets (they ignore those they are
 * given), but ask Vert.x for them: here TCP keep-alive is on, and all sockets can be closed at once.
 *
 * <p>No close of the drivers' own does that. Whatever closes a socket of vertx-pg-client 5.0.8, even the end of its TCP
 * client, is turned into a farewell and a half-close ({@code PgEncoder.close}), after which the server's end is waited
 * for. A server that is frozen never ends anything: sockets would stay open, and a Vert.x that is closed waits for
 * them.
 */
final class Sockets extends VertxWrapper {
  private static final Logger LOG = LoggerFactory.getLogger(Sockets.class);

  private final Set<NetSocketInternal> opened = new HashSet<>();
  private boolean closed; // both guarded by the set

  /**
   * @param vertx makes the sockets
   */
  Sockets(Vertx vertx) {
    super((VertxInternal) vertx);
  }

  /** Closes what was opened, and what is being opened once it is, without a word to the server. */
  void cut() {
    Set<NetSocketInternal> open;
    synchronized (opened) {
      closed = true;
      open = Set.copyOf(opened);
      opened.clear();
    }
    open.forEach(Sockets::closeAtOnce);
  }

  @Override
  public NetClient createNetClient(NetClientOptions options) {
    return new Client(super.createNetClient(new NetClientOptions(options).setTcpKeepAlive(true)));
  }

  private NetSocket opened(NetSocket socket) {
    NetSocketInternal made = (NetSocketInternal) socket;
    boolean late;
    synchronized (opened) {
      late = closed || !opened.add(made);
    }
    if (late) {
      closeAtOnce(made);
    }
    return socket;
  }

  /** From the first handler on, behind which is the socket itself: no handler is asked. */
  private static void closeAtOnce(NetSocketInternal socket) {
    ChannelPipeline pipeline = socket.channelHandlerContext().pipeline();
    ChannelHandlerContext first = pipeline.firstContext();
    ChannelFuture closing = first == null ? pipeline.close() : first.close();
    closing.addListener(done -> {
      if (!done.isSuccess()) {
        LOG.debug("a socket did not close", done.cause());
      }
    });
  }

  /** Remembers each socket before the driver is given it. */
  private final class Client implements NetClient {
    private final NetClient client;

    Client(NetClient client) {
      this.client = client;
    }

    @Override
    public Future<NetSocket> connect(int port, String host) {
      return client.connect(port, host).map(Sockets.this::opened);
    }

    @Override
    public Future<NetSocket> connect(int port, String host, String serverName) {
      return client.connect(port, host, serverName).map(Sockets.this::opened);
    }

    @Override
    public Future<NetSocket> connect(SocketAddress server) {
      return client.connect(server).map(Sockets.this::opened);
    }

    @Override
    public Future<NetSocket> connect(SocketAddress server, String serverName) {
      return client.connect(server, serverName).map(Sockets.this::opened);
    }

    @Override
    public Future<NetSocket> connect(ConnectOptions options) {
      return client.connect(options).map(Sockets.this::opened);
    }

    @Override
    public Future<Void> shutdown(long timeout, TimeUnit unit) {
      return client.shutdown(timeout, unit);
    }

    @Override
    public Future<Boolean> updateSSLOptions(ClientSSLOptions options, boolean force) {
      return client.updateSSLOptions(options, force);
    }

    @Override
    public boolean isMetricsEnabled() {
      return client.isMetricsEnabled();
    }
  }
}
