package dev.runlane.drills.database;

import dev.runlane.drills.process.Await;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.process.FreePort;
import io.vertx.pgclient.PgConnectOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The machine's PgBouncer before one server, as a process that ends with this one. */
final class PgBouncer implements AutoCloseable {
  /** For how long a client has a session of the server's, and which settings of its own it then may not bring. */
  enum PoolMode {
    TRANSACTION("transaction", "extra_float_digits"),
    SESSION(
        "session",
        "extra_float_digits, client_min_messages, default_transaction_isolation, enable_seqscan, "
            + "enable_mergejoin, jit, plan_cache_mode, lock_timeout, statement_timeout, "
            + "idle_in_transaction_session_timeout, tcp_keepalives_idle, tcp_keepalives_interval, "
            + "tcp_keepalives_count");

    private final String value;
    private final String ignored;

    PoolMode(String value, String ignored) {
      this.value = value;
      this.ignored = ignored;
    }
  }

  private static final List<Path> PLACES =
      List.of(Path.of("/usr/sbin/pgbouncer"), Path.of("/usr/bin/pgbouncer"));
  private static final Duration BOUND = Duration.ofSeconds(20);

  /** Ends the program when our end of the pipe closes, however that comes. */
  private static final String WATCHED =
      "\"$@\" & program=$!; read -r line; kill \"$program\"; wait";

  private final Path program;
  private final PoolMode mode;
  private final PostgresAddress server;
  private final Path folder;
  private final int port;
  private Process process;

  private PgBouncer(Path program, PostgresAddress server, PoolMode mode) throws IOException {
    this.program = program;
    this.mode = mode;
    this.server = server;
    folder = Files.createTempDirectory("runlane-pgbouncer-");
    port = FreePort.find();
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(
        folder.resolve("users"), "\"%s\" \"%s\"%n".formatted(server.user(), server.password()));
    Files.writeString(folder.resolve("ini"), settings());
    process = launch();
  }

  /** The program, where the machine has it. */
  static Optional<Path> program() {
    return PLACES.stream().filter(Files::isExecutable).findFirst();
  }

  static PgBouncer start(Path program, PostgresAddress server, PoolMode mode) {
    try {
      return new PgBouncer(program, server, mode);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Kills it with all its connections, and starts it again on the same port. */
  void restart() {
    end();
    try {
      process = launch();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** How to reach the server through it. */
  PgConnectOptions options() {
    return PgConnectOptions.fromUri(server.toUri())
        .setHost("127.0.0.1")
        .setPort(port)
        .setUseLayer7Proxy(mode == PoolMode.TRANSACTION);
  }

  @Override
  public void close() {
    end();
    try {
      for (String file : List.of("users", "ini")) {
        Files.delete(folder.resolve(file));
      }
      Files.delete(folder);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private String settings() {
    return """
        [databases]
        * = host=%s port=%s
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = %s
        unix_socket_dir =
        auth_type = plain
        auth_file = %s
        pool_mode = %s
        default_pool_size = 6
        max_client_conn = 200
        ignore_startup_parameters = %s
        """.formatted(
            server.host(), server.port(), port, folder.resolve("users"), mode.value, mode.ignored);
  }

  private Process launch() throws IOException {
    Process launched = new ProcessBuilder(
            "sh",
            "-c",
            WATCHED,
            "sh",
            program.toString(),
            "-q",
            "-u",
            isRoot() ? "nobody" : System.getProperty("user.name"),
            folder.resolve("ini").toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
    Await.until("PgBouncer takes connections", BOUND, this::isOpen);
    return launched;
  }

  private void end() {
    try {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.getOutputStream().close();
      if (!process.waitFor(BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("PgBouncer did not end within " + BOUND);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while PgBouncer ends", interrupted);
    }
  }

  private boolean isOpen() {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }
}
