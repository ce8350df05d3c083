package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.StepScene.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.sql.worker.SqlStepWorkerOptions;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.StepTask;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.mysqlclient.MySQLConnectOptions;
import io.vertx.pgclient.PgConnectOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compiles and runs the README's example. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  private final Vertx vertx = Vertx.vertx();
  private final PgConnectOptions address = PgConnectOptions.fromUri(
      PostgresServers.shared().createDatabase("steps_readme").toUri());
  private final Promise<Long> charged = Promise.promise();

  @AfterEach
  void close() {
    done(vertx.close());
  }

  @Test
  void the_example_asks_for_a_step_and_runs_it() {
    assertThat(done(example())).isEqualTo(DispatchOutcome.DISPATCHED);

    assertThat(done(charged.future())).isEqualTo(950);
  }

  @Test
  void the_example_for_mysql_makes_a_transport_that_works() {
    MysqlStepFixture.requireServer();
    SqlStepTransport transport = onMysql(MysqlStepFixture.address());

    assertThat(done(transport.dispatchStep(
            StepTask.first("run_7", 0, "payments:charge", null), Clock.system().now())))
        .isEqualTo(DispatchOutcome.DISPATCHED);
    done(transport.close());
  }

  @ParameterizedTest
  @ValueSource(strings = {"readme", "mysql"})
  void the_readme_shows_these_examples(String name) throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/dev/runlane/steps/sql/ReadmeTest.java"));
    String begin = "    // " + name + ":begin\n";
    String example = source.substring(
        source.indexOf(begin) + begin.length(), source.indexOf("    // " + name + ":end\n"));

    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + example.replaceAll("(?m)^    ", "") + "```");
  }

  private Future<String> charge(long cents) {
    charged.complete(cents);
    return Future.succeededFuture("receipt");
  }

  private SqlStepTransport onMysql(MySQLConnectOptions address) {
    // mysql:begin
    SqlStepTransport transport =
        MysqlSteps.transport(vertx, address, new SqlStepOptions().setPrefix("orders"));
    // mysql:end
    return transport;
  }

  private Future<DispatchOutcome> example() {
    // readme:begin
    SqlStepTransport transport =
        SqlStepTransport.postgres(vertx, address, new SqlStepOptions().setPrefix("orders"));
    SqlStepWorker worker = SqlStepWorker.create(vertx, transport, new SqlStepWorkerOptions())
        .handle("payments:charge", call -> charge(call.inputObject().getLong("cents"))
            .map(receipt -> call.done(receipt)));

    return worker
        .start()
        .compose(started -> transport.dispatchStep(
            StepTask.first("run_7", 0, "payments:charge", Json.ofChecked("{\"cents\":950}")),
            Clock.system().now()));
    // readme:end
  }
}
