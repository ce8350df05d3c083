package dev.runlane.testinfra.folder;

import com.sun.security.auth.module.UnixSystem;
import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.process.ProgramRun;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The user a server runs as. PostgreSQL refuses root, so root hands it to {@code nobody}.
 *
 * @param name distinguishes accounts whose folders can't be shared
 * @param prefix goes in front of every command of the server; empty for an ordinary user
 * @param owner the uid that must own the server's folders, or the launcher's own
 */
public record ServerAccount(String name, List<String> prefix, long owner) {
  private static final Duration TRIAL_TIMEOUT = Duration.ofSeconds(10);
  private static final long ROOT = 0;
  private static final long NOBODY = 65_534;

  /**
   * The best first: with setpriv the child's pid is the server's. Inside {@code unshare -U} the
   * server is root without its powers, so the folders must stay root's.
   */
  public static final List<ServerAccount> WAYS_OUT_OF_ROOT = List.of(
      nobody("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"),
      nobody("runuser", "-u", "nobody", "--"),
      new ServerAccount("unshared", List.of("unshare", "-U"), ROOT),
      nobody("su", "-s", "/bin/sh", "-c", "exec \"$0\" \"$@\"", "nobody", "--"));

  private static ServerAccount nobody(String... prefix) {
    return new ServerAccount("nobody", List.of(prefix), NOBODY);
  }

  /** Whoever runs this process, also root: for servers that don't mind. */
  public static ServerAccount self() {
    return new ServerAccount("self", List.of(), new UnixSystem().getUid());
  }

  /** Finds out who runs this process, and as root how to be somebody else. */
  public static ServerAccount detect() {
    ServerAccount self = self();
    if (self.owner() != ROOT) {
      return self;
    }
    return WAYS_OUT_OF_ROOT.stream()
        .filter(ServerAccount::works)
        .findFirst()
        .orElseThrow(
            () -> new ServerException(
                "PostgreSQL refuses to run as root, and none of setpriv,"
                    + " runuser, unshare and su can start it as another user: run this as an ordinary user"));
  }

  public boolean works() {
    ProgramRun trial = run(List.of("id", "-u"), TRIAL_TIMEOUT);
    // Not everywhere is nobody 65534; inside unshare -U every unmapped user shows as that.
    String expected = String.valueOf(owner == ROOT ? NOBODY : owner);
    return trial.succeeded() && trial.output().equals(expected);
  }

  public ProgramRun run(List<String> command, Duration timeout) {
    return ProgramRun.of(commandLine(command), timeout);
  }

  List<String> commandLine(List<String> command) {
    List<String> line = new ArrayList<>(prefix);
    line.addAll(command);
    return line;
  }

  /** Gives a folder and all in it to the server's user. */
  public void own(Path folder) throws IOException {
    if (prefix.isEmpty() || owner == ROOT) {
      return;
    }
    Files.walkFileTree(folder, new SimpleFileVisitor<>() {
      @Override
      public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes)
          throws IOException {
        return give(visited);
      }

      @Override
      public FileVisitResult visitFile(Path visited, BasicFileAttributes attributes)
          throws IOException {
        return give(visited);
      }

      private FileVisitResult give(Path path) throws IOException {
        Files.setAttribute(path, "unix:uid", Math.toIntExact(owner), LinkOption.NOFOLLOW_LINKS);
        return FileVisitResult.CONTINUE;
      }
    });
  }

  /** Whether the server's user may enter this folder, and so all above it. */
  public boolean mayEnter(Path folder) {
    return prefix.isEmpty()
        || run(List.of("sh", "-c", "cd \"$0\"", folder.toString()), TRIAL_TIMEOUT)
            .succeeded();
  }

  /** Fails, naming the topmost folder in the way, unless the server's user may enter this one. */
  public void requireEnterable(Path folder) {
    if (mayEnter(folder)) {
      return;
    }
    Path blocked = folder.getRoot();
    for (Path name : folder) {
      blocked = blocked.resolve(name);
      if (!mayEnter(blocked)) {
        break;
      }
    }
    throw new ServerException(
        "PostgreSQL can't run as root, and the user it runs as instead (uid " + owner
            + ") can't enter " + blocked
            + ": choose a folder below /var/tmp, or make it enterable (chmod o+x)");
  }
}
