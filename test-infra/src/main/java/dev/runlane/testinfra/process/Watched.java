package dev.runlane.testinfra.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server that ends with this process. A small shell beside it reads a pipe that only this process holds
 * open, its standard input. When the pipe ends, because this process ended in whatever way, the shell stops
 * the server, and deletes what it may of a temporary one's folder: as another user, that is the data in it.
 */
public final class Watched {
  /**
   * {@code $0} is the temporary folder or {@code keep}, {@code $1} the signal that stops the server,
   * {@code $2} the file that is there while it runs, the rest its command. {@code $$} stays the outer
   * shell's pid, and exec makes it the server's. A server that is gone already means that the pipe ended
   * because of it: then there is nothing to do, above all nothing to delete. The watcher is the server's
   * child; it must end with 0, or PostgreSQL takes it for a crashed backend.
   */
  private static final String SCRIPT = """
      exec 3<&0 </dev/null
      (
        read -r line <&3
        kill -"$1" $$ || exit 0
        [ "$0" = keep ] && exit 0
        tries=0
        while [ -e "$2" ] && [ $tries -lt 300 ]; do
          sleep 0.1
          tries=$((tries + 1))
        done
        [ -e "$2" ] && kill -KILL $$
        rm -rf -- "$0"
        exit 0
      ) >/dev/null 2>&1 &
      exec 3<&-
      shift 2
      exec "$@"
      """;

  private static final String KEEP = "keep";

  private Watched() {}

  /**
   * The command that starts a server and its watcher; its pid becomes the server's.
   *
   * @param stopSignal such as {@code INT}
   * @param pidFile is deleted by the server when it has stopped
   * @param temporaryFolder is deleted then, or null to keep everything
   */
  public static List<String> command(
      String stopSignal, Path pidFile, @Nullable Path temporaryFolder, List<String> server) {
    List<String> command = new ArrayList<>(List.of("sh", "-c", SCRIPT));
    command.add(temporaryFolder == null ? KEEP : temporaryFolder.toString());
    command.add(stopSignal);
    command.add(pidFile.toString());
    command.addAll(server);
    return command;
  }
}
