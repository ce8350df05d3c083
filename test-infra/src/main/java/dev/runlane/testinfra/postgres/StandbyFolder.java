package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.folder.ServerAccount;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;

/**
 * The data folder of a standby: the files of a running server, copied between the two calls that PostgreSQL's manual
 * names for a <a href="https://www.postgresql.org/docs/17/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP">base
 * backup with the low-level functions</a>, since the embedded programs have no {@code pg_basebackup}.
 *
 * @param primary the server that runs
 * @param folder where its data lies
 * @param account owns what is copied
 */
record StandbyFolder(PostgresAddress primary, DataFolder folder, ServerAccount account) {
  /** Of a running server alone. */
  private static final Set<String> LEFT_OUT =
      Set.of("postmaster.pid", "postmaster.opts", "pg_replslot", "pg_internal.init");

  private static final String SETTINGS = "postgresql.auto.conf";
  private static final String SYNCHRONOUS = "synchronous_standby_names";

  /** Fills an empty folder with a copy that streams from the primary once it is started. */
  void copyTo(DataFolder standby) throws IOException {
    FolderTree.createSecret(
        standby.folder().resolve(PostgresInstallation.PASSWORD), primary.password());
    PostgresInstallation.createData(account, standby.data());
    Files.writeString(standby.data().resolve("backup_label"), copyWhileInBackup(standby.data()));
    Files.createFile(standby.data().resolve("standby.signal"));
    streamFromPrimary(standby.data().resolve(SETTINGS));
    Files.createDirectories(standby.data().resolve("pg_replslot"));
    account.own(standby.data());
  }

  /** Answers what the copy's {@code backup_label} must hold. */
  private String copyWhileInBackup(Path copy) throws IOException {
    try (Connection session = PostgresDatabases.source(primary).getConnection();
        Statement statement = session.createStatement()) {
      statement.execute("SELECT pg_backup_start('standby', true)");
      Files.walkFileTree(folder.data(), new Copying(folder.data(), copy));
      try (ResultSet stopped =
          statement.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
        stopped.next();
        return stopped.getString(1);
      }
    } catch (SQLException failure) {
      throw new ServerException(
          "the server at " + primary + " can't be copied: " + failure.getMessage(), failure);
    }
  }

  /** What the primary itself waits for is no business of its copy. */
  private void streamFromPrimary(Path settings) throws IOException {
    List<String> kept = Files.readAllLines(settings).stream()
        .filter(line -> !line.startsWith(SYNCHRONOUS))
        .toList();
    Files.write(settings, kept);
    String connection = "primary_conninfo = 'host=%s port=%s user=%s password=%s'%n"
        .formatted(primary.host(), primary.port(), primary.user(), primary.password());
    Files.writeString(settings, connection, StandardCharsets.UTF_8, StandardOpenOption.APPEND);
  }

  /** Copies what is there; files that vanish meanwhile are those that a recovery does without. */
  private static final class Copying extends SimpleFileVisitor<Path> {
    private final Path from;
    private final Path to;

    Copying(Path from, Path to) {
      this.from = from;
      this.to = to;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes)
        throws IOException {
      if (LEFT_OUT.contains(visited.getFileName().toString())) {
        return FileVisitResult.SKIP_SUBTREE;
      }
      Path copy = to.resolve(from.relativize(visited));
      if (!Files.exists(copy)) {
        Files.createDirectory(copy);
        FolderTree.permit(copy, "rwx------");
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path visited, BasicFileAttributes attributes)
        throws IOException {
      if (!LEFT_OUT.contains(visited.getFileName().toString())) {
        try {
          Files.copy(visited, to.resolve(from.relativize(visited)));
        } catch (NoSuchFileException vanished) {
          return FileVisitResult.CONTINUE;
        }
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
      if (failure instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw failure;
    }
  }
}
