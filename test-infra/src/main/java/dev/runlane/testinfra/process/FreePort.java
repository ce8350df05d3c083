package dev.runlane.testinfra.process;

import dev.runlane.testinfra.ServerException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Finds ports nobody listens on. */
public final class FreePort {
  /**
   * Below the range from which systems take the local ports of outgoing connections. A client that
   * keeps reconnecting to a dead server on a port of that range can end up connected to itself, and
   * the server never gets its port back.
   */
  private static final int LOWEST = 15_000;

  private static final int HIGHEST = 32_000;
  private static final int TRIES = 100;

  /** Those that were given out by this process, of which somebody may not listen yet, or not at the moment. */
  private static final Set<Integer> GIVEN_OUT = ConcurrentHashMap.newKeySet();

  private FreePort() {}

  /**
   * A port that was free on the loopback interface a moment ago, and that this process gives to nobody else; another
   * process may still be faster.
   */
  public static int find() {
    for (int i = 0; i < TRIES; i++) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
      if (GIVEN_OUT.add(port) && isFree(port)) {
        return port;
      }
    }
    throw new ServerException("no free port between " + LOWEST + " and " + HIGHEST);
  }

  /** The same for a second port of one server, whose first may be given by somebody else. */
  public static int findOtherThan(int first) {
    int second = find();
    return second == first ? findOtherThan(first) : second;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}
