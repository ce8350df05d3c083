package dev.runlane.testinfra.mariadb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A server of MariaDB or MySQL.
 *
 * @param name in what is said of it, such as {@code the machine's MariaDB}
 * @param program {@code mariadbd} or {@code mysqld}
 * @param systemTables the statements that fill a new data folder, in their order; none for MySQL, which fills it
 *     by itself
 * @param arguments of every start, beside those that both understand
 */
record MariadbInstallation(
    String name, Path program, List<Path> systemTables, List<String> arguments) {
  private static final String PROGRAM = "mariadbd";

  /** The latter ones from MariaDB 11 on. */
  private static final List<String> FILE_PREFIXES = List.of("mysql_", "mariadb_");

  private static final List<String> SYSTEM_TABLES =
      List.of("system_tables.sql", "performance_tables.sql", "system_tables_data.sql");

  MariadbInstallation {
    systemTables = List.copyOf(systemTables);
    arguments = List.copyOf(arguments);
  }

  /** MySQL 8 in the folder where it was unpacked; the way to log in is the one that needs no encryption. */
  static MariadbInstallation ofMysql(Path folder) {
    return new MariadbInstallation(
        "embedded MySQL",
        folder.resolve("bin/mysqld"),
        List.of(),
        List.of(
            "--basedir=" + folder,
            "--mysqlx=OFF",
            "--default-authentication-plugin=mysql_native_password"));
  }

  boolean initializesItself() {
    return systemTables.isEmpty();
  }

  /** Looks on the path and where servers lie that are on nobody's path but root's. */
  static Optional<MariadbInstallation> find() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return find(Stream.concat(
            Stream.of(path.split(":")).filter(folder -> !folder.isEmpty()),
            Stream.of("/usr/sbin", "/usr/local/sbin", "/usr/libexec"))
        .map(Path::of)
        .toList());
  }

  static Optional<MariadbInstallation> find(List<Path> folders) {
    return folders.stream()
        .map(folder -> folder.resolve(PROGRAM))
        .filter(Files::isExecutable)
        .flatMap(program -> of(program).stream())
        .findFirst();
  }

  private static Optional<MariadbInstallation> of(Path program) {
    try {
      Path share = program.toRealPath().resolve("../../share").normalize();
      return Stream.of("mysql", "mariadb", ".")
          .map(share::resolve)
          .flatMap(folder -> FILE_PREFIXES.stream().map(prefix -> files(folder, prefix)))
          .filter(files -> files.stream().allMatch(Files::isReadable))
          .findFirst()
          .map(
              files -> new MariadbInstallation("the machine's MariaDB", program, files, List.of()));
    } catch (IOException vanished) {
      return Optional.empty();
    }
  }

  private static List<Path> files(Path folder, String prefix) {
    List<Path> files = new ArrayList<>();
    SYSTEM_TABLES.forEach(name -> files.add(folder.resolve(prefix + name)));
    return files;
  }
}
