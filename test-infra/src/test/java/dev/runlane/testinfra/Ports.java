package dev.runlane.testinfra;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** Looks at ports of this machine. */
public final class Ports {
  private static final int TIMEOUT_MILLIS = 2_000;

  private Ports() {}

  public static boolean isOpen(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress("127.0.0.1", port), TIMEOUT_MILLIS);
      return true;
    } catch (IOException closed) {
      return false;
    }
  }
}
