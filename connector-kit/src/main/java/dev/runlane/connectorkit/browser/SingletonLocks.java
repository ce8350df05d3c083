package dev.runlane.connectorkit.browser;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The links by which Chromium keeps a second browser off its profile. A browser that was killed
 * leaves them behind, and the next one refuses to start:
 *
 * <pre>
 *   SingletonLock    → host-pid
 *   SingletonSocket  → /tmp/…/SingletonSocket
 *   SingletonCookie  → a number
 * </pre>
 */
final class SingletonLocks {

  private static final String LOCK = "SingletonLock";
  private static final String SOCKET = "SingletonSocket";
  private static final List<String> LINKS = List.of(LOCK, SOCKET, "SingletonCookie");
  private static final Path PROCESSES = Path.of("/proc");

  private final Path profile;

  SingletonLocks(Path profile) {
    this.profile = profile;
  }

  /**
   * Removes the links of a browser that is dead. Fails with a {@link
   * dev.runlane.connectorkit.message.ConnectorFailure} while their browser lives, or where that cannot be
   * known because it ran on another machine.
   *
   * @param deadHolder the machine whose connector had the profile and died with its browser, as one in a container
   *     that was replaced; empty for none
   */
  void removeStale(String deadHolder) throws IOException {
    Path lock = profile.resolve(LOCK);
    if (!Files.isSymbolicLink(lock)) {
      return;
    }
    String owner = Files.readSymbolicLink(lock).toString();
    int dash = owner.lastIndexOf('-');
    String machine = dash < 0 ? "" : owner.substring(0, dash);
    boolean here = machine.equals(hostName());
    if (machine.isEmpty() || !(here || machine.equals(deadHolder))) {
      throw BrowserProfile.inUse("its lock names another machine: " + owner);
    }
    if (socketAnswers() || (here && isBrowser(owner.substring(dash + 1)))) {
      throw BrowserProfile.inUse("its browser is process " + owner.substring(dash + 1));
    }
    for (String link : LINKS) {
      Files.deleteIfExists(profile.resolve(link));
    }
  }

  /** Whether the process has this profile open: its number may have gone to another program since. */
  private boolean isBrowser(String pid) throws IOException {
    if (!pid.matches("[0-9]{1,10}")) {
      return false;
    }
    if (!Files.isDirectory(PROCESSES)) {
      return ProcessHandle.of(Long.parseLong(pid)).isPresent();
    }
    Path arguments = PROCESSES.resolve(pid).resolve("cmdline");
    try {
      return Files.readString(arguments, StandardCharsets.ISO_8859_1).contains(latin1(profile));
    } catch (NoSuchFileException dead) {
      return false;
    }
  }

  private boolean socketAnswers() {
    Path socket = profile.resolve(SOCKET);
    try (SocketChannel channel =
        SocketChannel.open(UnixDomainSocketAddress.of(Files.readSymbolicLink(socket)))) {
      return channel.isConnected();
    } catch (IOException nobodyListens) {
      return false;
    }
  }

  /** As Chromium sees it, which asks the kernel. */
  static String hostName() throws IOException {
    Path kernel = PROCESSES.resolve("sys/kernel/hostname");
    return Files.exists(kernel)
        ? Files.readString(kernel).strip()
        : InetAddress.getLocalHost().getHostName();
  }

  /** A path's bytes, each as one character, like the arguments they are looked for in. */
  private static String latin1(Path path) {
    return new String(
        path.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }
}
