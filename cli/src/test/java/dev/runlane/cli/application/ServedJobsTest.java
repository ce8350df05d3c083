package dev.runlane.cli.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.RecordedConsole;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("jobs that are served beside runs")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ServedJobsTest {
  private final RecordedConsole console = new RecordedConsole();
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void a_program_is_served_without_jobs_where_their_database_cannot_be_reached() throws Exception {
    OperatorExit exit = jobs(false).during(jobs -> {
      assertThat(jobs).isEmpty();
      return OperatorExit.DONE;
    });

    assertThat(exit).isEqualTo(OperatorExit.DONE);
    assertThat(console.err())
        .startsWith(
            "runlane: jobs are not served until their database is there at the next start: ")
        .hasLineCount(1);
  }

  @Test
  void the_database_of_runs_that_cannot_be_reached_ends_the_command() throws Exception {
    ServedJobs unreachable = jobs(true);

    assertThatThrownBy(() -> unreachable.during(jobs -> OperatorExit.DONE))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE));
  }

  /** In a database of which the port is closed. */
  private ServedJobs jobs(boolean isThatOfRuns) throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    PgConnectOptions closed = new PgConnectOptions()
        .setHost("127.0.0.1")
        .setPort(port)
        .setDatabase("orders")
        .setUser("runlane");
    return new ServedJobs(
        console.patient(),
        vertx,
        Optional.of(new DatabaseOptions.Settings(closed, "orders", "default")),
        isThatOfRuns);
  }
}
