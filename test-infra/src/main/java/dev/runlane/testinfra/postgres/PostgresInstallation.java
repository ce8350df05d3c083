package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.folder.ServerCache;
import dev.runlane.testinfra.process.ProgramRun;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Unpacked programs and a data folder fresh from initdb, both cached, and the user to run them as.
 *
 * @param programs holds {@code bin/postgres} and {@code bin/initdb}
 * @param template holds {@code data} and, readable by the launcher alone, {@code password}
 */
record PostgresInstallation(ServerAccount account, Path programs, Path template) {
  static final String SUPERUSER = "postgres";
  static final String DATA = "data";
  static final String PASSWORD = "password";

  /** Counts up when initdb is called differently, so that no older cached folder is taken. */
  private static final String TEMPLATE = "-template2-";

  /** The first version whose initdb takes settings, and whose server this one. */
  private static final int KNOWS_ITERATIONS = 16;

  private static final Pattern MAJOR = Pattern.compile("\\(PostgreSQL\\) (\\d+)");
  private static final Duration INITDB_TIMEOUT = Duration.ofMinutes(2);
  private static final int PASSWORD_BITS = 130;

  /** Takes everything from the cache, filling it first where it must. */
  static PostgresInstallation from(ServerCache cache, ServerAccount account) {
    PostgresBinaries binaries = PostgresBinaries.onClassPath();
    Path programs = cache.entry(binaries.key(), account, binaries::unpack);
    Path template = cache.entry(
        binaries.key() + TEMPLATE + account.name(),
        account,
        empty -> initialize(account, programs, empty));
    return new PostgresInstallation(account, programs, template);
  }

  static Path program(Path programs, String name) {
    return programs.resolve("bin").resolve(name);
  }

  Path program(String name) {
    return program(programs, name);
  }

  private static void initialize(ServerAccount account, Path programs, Path folder)
      throws IOException {
    Path password = folder.resolve(PASSWORD);
    FolderTree.createSecret(
        password, new BigInteger(PASSWORD_BITS, new SecureRandom()).toString(Character.MAX_RADIX));
    account.own(password);
    Path data = createData(account, folder.resolve(DATA));
    String program = program(programs, "initdb").toString();
    List<String> command = new ArrayList<>(List.of(
        program,
        "--pgdata=" + data,
        "--username=" + SUPERUSER,
        "--pwfile=" + password,
        // SCRAM would need one more library in some clients; nothing leaves the loopback
        // interface.
        "--auth=password",
        "--encoding=UTF8",
        "--no-locale",
        "--no-sync"));
    if (major(account.run(List.of(program, "--version"), INITDB_TIMEOUT)) >= KNOWS_ITERATIONS) {
      // More rounds guard a password that can be guessed, and take a third of each connection's
      // time.
      command.add("--set=scram_iterations=1");
    }
    ProgramRun initdb = account.run(command, INITDB_TIMEOUT);
    if (!initdb.succeeded()) {
      throw new ServerException("initdb failed" + hint(initdb.output()) + ":\n" + initdb.output());
    }
  }

  /** Of {@code initdb (PostgreSQL) 16.2}; 0 where it says something else. */
  static int major(ProgramRun version) {
    Matcher number = MAJOR.matcher(version.output());
    return number.find() ? Integer.parseInt(number.group(1)) : 0;
  }

  private static String hint(String output) {
    return output.contains("could not look up effective user ID")
        ? " because the user it runs as is not in the password file (/etc/passwd); add an entry"
            + " for it"
        : "";
  }

  /** Creates a folder as PostgreSQL wants it: the server's own, closed to all others. */
  static Path createData(ServerAccount account, Path data) throws IOException {
    Files.createDirectory(data);
    FolderTree.permit(data, "rwx------");
    account.own(data);
    return data;
  }
}
