package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to a server for cases that each connect anew: a port of this process, behind which the server's processes
 * outlive the connections. Who connects is handed the process of somebody who has said goodbye, with a new session
 * ({@code DISCARD ALL}): to start one and let it read the catalogs takes much longer than most cases do.
 *
 * <p>A process is handed on to those alone who ask for the same database as the same user with the same settings, and
 * say the same password. A connection that is lost or cancelled, or that ends amid a statement or a transaction, takes
 * its process with it, and so does each whose server wants more than a password in clear text.
 *
 * <p>For tests that need connections. Not for tests of connections: there is no TLS, processes that nobody is connected
 * to stay visible, and what a session has read is counted later than at its end. Safe for use by any thread.
 */
public final class ReusedSessions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReusedSessions.class);
  private static final int CANCEL_REQUEST = 80877102;
  private static final int TLS_REQUEST = 80877103;
  private static final int GSS_REQUEST = 80877104;
  private static final int LONGEST_QUEUE = 128;

  private final PostgresAddress server;
  private final ServerSocket port;
  private final Map<ByteBuffer, Deque<ServerSession>> idle = new ConcurrentHashMap<>();
  private final Set<ServerSession> open = ConcurrentHashMap.newKeySet();

  /** A way to the server of a database. It listens at once, on a port of the loopback interface. */
  public ReusedSessions(PostgresAddress server) {
    this.server = server;
    try {
      port = new ServerSocket(0, LONGEST_QUEUE, InetAddress.getLoopbackAddress());
    } catch (IOException failure) {
      throw new ServerException("no port for sessions: " + failure, failure);
    }
    daemon(this::accept);
  }

  /** The same database by this way. */
  public PostgresAddress address() {
    return new PostgresAddress(
        port.getInetAddress().getHostAddress(),
        port.getLocalPort(),
        server.database(),
        server.user(),
        server.password());
  }

  /** Ends all connections, and the server's processes with them. */
  @Override
  public void close() {
    ServerSession.closeQuietly(port);
    open.forEach(ServerSession::close);
  }

  private void accept() {
    try {
      while (!port.isClosed()) {
        Socket client = port.accept();
        daemon(() -> serve(client));
      }
    } catch (IOException failure) {
      LOG.debug("no connections any more", failure);
      close();
    }
  }

  private void serve(Socket client) {
    try (client) {
      client.setTcpNoDelay(true);
      DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
      byte[] first = ServerSession.readStartup(in);
      while (code(first) == TLS_REQUEST || code(first) == GSS_REQUEST) {
        client.getOutputStream().write('N'); // no
        first = ServerSession.readStartup(in);
      }
      if (code(first) == CANCEL_REQUEST) {
        cancel(first);
      } else {
        serve(client, in, first);
      }
    } catch (IOException lost) {
      LOG.debug("a connection was lost", lost);
    }
  }

  private static int code(byte[] first) {
    return ByteBuffer.wrap(first).getInt(Integer.BYTES);
  }

  private void serve(Socket client, DataInputStream in, byte[] startup) throws IOException {
    Deque<ServerSession> left =
        idle.computeIfAbsent(ByteBuffer.wrap(startup), asked -> new ConcurrentLinkedDeque<>());
    ServerSession session = take(left);
    boolean isAsNew = true;
    try {
      if (session.admits(in, client.getOutputStream())) {
        isAsNew = false;
        session.connect(client, startup);
        isAsNew = session.serveUntilGoodbye(in);
      }
    } finally {
      if (isAsNew) {
        left.push(session);
      } else {
        end(session);
      }
    }
  }

  private ServerSession take(Deque<ServerSession> left) throws IOException {
    ServerSession kept = left.poll();
    while (kept != null && kept.isOver()) {
      end(kept);
      kept = left.poll();
    }
    return kept == null ? begin() : kept;
  }

  private ServerSession begin() throws IOException {
    ServerSession session = new ServerSession(new Socket(server.host(), server.port()));
    open.add(session);
    if (port.isClosed()) {
      end(session);
    }
    return session;
  }

  private void end(ServerSession session) {
    session.close();
    open.remove(session);
  }

  private void cancel(byte[] request) throws IOException {
    open.forEach(session -> session.keepIfCancelled(request));
    try (Socket toServer = new Socket(server.host(), server.port())) {
      toServer.getOutputStream().write(request);
      toServer.getInputStream().readAllBytes(); // until the server has passed it on
    }
  }

  static void daemon(Runnable work) {
    Thread thread = new Thread(work, "reused-sessions");
    thread.setDaemon(true);
    thread.start();
  }
}
