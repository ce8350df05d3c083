package dev.runlane.testinfra.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;

/**
 * The way to a server, as a port of this process that forwards to it, and that can fall silent: it keeps every socket
 * open, takes new connections, swallows what either side sends, even that it sends no more, and answers nothing, as a
 * firewall does that has forgotten its connections. A connection that was silenced stays so until the near side has
 * closed it both ways; what is opened after {@link #speak} works.
 *
 * <p>For tests of what a process does meanwhile. Safe for use by any thread.
 */
public final class TcpLine implements AutoCloseable {
  private static final long PAUSE_MILLIS = 20;

  private final ServerSocket server;
  private final Set<Wire> wires = ConcurrentHashMap.newKeySet();
  private volatile boolean silent;
  private volatile InetSocketAddress target;

  /** A line to a server; it listens at once, on a port of the loopback interface. */
  public TcpLine(String host, int port) {
    target = new InetSocketAddress(host, port);
    try {
      server = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    daemon(this::accept);
  }

  /** The port that forwards. */
  public int port() {
    return server.getLocalPort();
  }

  /** Forwards to another server from now on; every connection that is there is closed. */
  public void leadTo(String host, int port) {
    target = new InetSocketAddress(host, port);
    wires.forEach(Wire::close);
  }

  /** Swallows everything from now on, on every connection that is there or comes. */
  public void silence() {
    silent = true;
    silence(farPort -> true);
  }

  /**
   * Silences those connections that are there and whose port, as the server sees it, is meant (in Postgres the {@code
   * client_port} of {@code pg_stat_activity}).
   */
  public void silence(IntPredicate farPorts) {
    wires.stream()
        .filter(wire -> farPorts.test(wire.far.getLocalPort()))
        .forEach(wire -> wire.silent = true);
  }

  /** Forwards what is connected from now on. */
  public void speak() {
    silent = false;
  }

  /** How many connections the near side holds open. */
  public int open() {
    return wires.size();
  }

  @Override
  public void close() {
    quietly(server);
    wires.forEach(Wire::close);
  }

  private void accept() {
    try {
      while (!server.isClosed()) {
        connect(server.accept());
      }
    } catch (IOException failure) {
      close(); // nobody is to wait for a line that takes no connections any more
    }
  }

  /** A server that refuses is one that closes the connection at once. */
  @SuppressWarnings("ReferenceEquality") // led anew, be it to the same address
  private void connect(Socket near) {
    Socket far = new Socket();
    InetSocketAddress led = target;
    try {
      far.connect(led);
    } catch (IOException refused) {
      quietly(near);
      quietly(far);
      return;
    }
    Wire wire = new Wire(near, far);
    wires.add(wire);
    if (silent) { // read when whoever changes it finds the wire: one of the two silences it
      wire.silent = true;
    }
    if (led != target || server.isClosed()) {
      wire.close();
    }
    daemon(() -> wire.pump(wire.near, wire.far));
    daemon(() -> wire.pump(wire.far, wire.near));
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "tcp-line");
    thread.setDaemon(true);
    thread.start();
  }

  private static void quietly(AutoCloseable resource) {
    try {
      resource.close();
    } catch (Exception ignored) {
      return; // it is closed, or of no more use
    }
  }

  /** One connection through the line. */
  private final class Wire {
    private final Socket near;
    private final Socket far;
    private volatile boolean silent;

    Wire(Socket near, Socket far) {
      this.near = near;
      this.far = far;
    }

    void pump(Socket from, Socket to) {
      byte[] buffer = new byte[64 * 1024];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          if (!silent) {
            out.write(buffer, 0, read);
          }
        }
        if (from == near && silent) {
          awaitEnd();
        }
        if (!silent || from == near) {
          close();
        }
      } catch (IOException lost) {
        if (!silent || from == near) {
          close();
        }
      }
    }

    /** Until the near side takes nothing any more: urgent data is dropped by those who do not ask for it. */
    private void awaitEnd() throws IOException {
      while (!near.isClosed()) {
        near.sendUrgentData(0);
        Poll.pause(PAUSE_MILLIS);
      }
    }

    void close() {
      quietly(near);
      quietly(far);
      wires.remove(this);
    }
  }
}
