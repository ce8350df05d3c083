package dev.runlane.connector.process;

import dev.runlane.connector.process.os.ProcFiles;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Becomes another user between the gate and the program, by {@code setpriv}. That needs a controller that is root and
 * may also signal, and look at, what belongs to others: one that only could start such a child could not end all of it.
 * Blocks.
 */
final class UserSwitch {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final List<Path> SETPRIV = List.of(
      Path.of("/usr/bin/setpriv"), Path.of("/bin/setpriv"), Path.of("/usr/local/bin/setpriv"));

  /** Bits of the kernel's capabilities: CHOWN, KILL, SETGID, SETUID, SYS_PTRACE. */
  private static final long NEEDED = 1L | 1L << 5 | 1L << 6 | 1L << 7 | 1L << 19;

  private static final int STREAMS = 3;

  private UserSwitch() {}

  /** What stands before the program. Throws {@code ConfigurationInvalid} where this process may not do that. */
  static List<String> prefix(ChildUser user) {
    if (!mayRunAs()) {
      throw RunlaneException.configurationInvalid(
          "a connector can run as user %s only under a controller that is root with the capabilities"
              + " CHOWN, KILL, SETGID, SETUID and SYS_PTRACE",
          user.name());
    }
    Path setpriv = SETPRIV.stream()
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> RunlaneException.configurationInvalid(
            "a connector can run as user %s only where setpriv of util-linux is installed",
            user.name()));
    return List.of(
        setpriv.toString(),
        "--reuid=" + user.uid(),
        "--regid=" + user.gid(),
        "--init-groups",
        "--inh-caps=-all",
        "--");
  }

  /** Gives the pipes of the child that waits at its gate to the user, who may want to open them by name. */
  static void transferPipes(long pid, ChildUser user) throws IOException {
    for (int stream = 0; stream < STREAMS; stream++) {
      Files.setAttribute(ProcFiles.of(pid, "fd/" + stream), "unix:uid", user.uid());
    }
  }

  static boolean mayRunAs() {
    try {
      List<String> status = Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1);
      long capabilities = Long.parseUnsignedLong(field(status, "CapEff:")[0], 16);
      return field(status, "Uid:")[1].equals("0") && (capabilities & NEEDED) == NEEDED;
    } catch (IOException noProc) {
      return false;
    }
  }

  private static String[] field(List<String> status, String name) {
    return status.stream()
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).strip().split("\\s+"))
        .findFirst()
        .orElse(new String[] {"0", "-"});
  }
}
