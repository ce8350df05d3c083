package dev.runlane.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.example.launched.MailApplication;
import com.example.launched.UnstartedApplication;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application that is started with its configuration alone. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LauncherTest {
  private static final String VERTICLE = RunlaneApplicationVerticle.class.getName();

  private final Vertx vertx = Vertx.vertx();

  @TempDir
  private Path folder;

  @AfterEach
  void close() throws Exception {
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  @Test
  void a_declared_application_is_started_and_stopped_with_its_configuration() throws Exception {
    JsonObject config = new JsonObject()
        .put("environment", "launched")
        .put("deployment", new JsonObject().put("workerInstances", 2));

    String id = deploy(config, MailApplication.class.getName());

    assertThat(vertx.deploymentIDs().size()).isGreaterThan(3);
    vertx.undeploy(id).await(60, TimeUnit.SECONDS);
    assertThat(vertx.deploymentIDs()).isEmpty();
  }

  @Test
  void without_one_declared_application_the_start_fails() throws IOException {
    assertInvalid(new JsonObject());
    assertInvalid(new JsonObject(), "com.example.launched.Nobody");
    assertInvalid(new JsonObject(), MailApplication.class.getName(), "com.example.launched.Nobody");
  }

  @Test
  void a_configuration_that_is_not_understood_fails_the_start() {
    String application = MailApplication.class.getName();
    assertInvalid(new JsonObject().put("databse", "x"), application);
    assertInvalid(new JsonObject().put("schema", 7), application);
    assertInvalid(new JsonObject().put("deployment", "all"), application);
    assertInvalid(
        new JsonObject().put("deployment", new JsonObject().put("wrokers", 1)), application);
  }

  @Test
  void an_application_that_does_not_start_is_closed() {
    UnstartedApplication.CLOSED.set(0);

    assertThat(catchThrowable(() -> deploy(new JsonObject(), UnstartedApplication.class.getName())))
        .hasMessage("the lane does not start");

    assertThat(UnstartedApplication.CLOSED).hasValue(1);
  }

  private void assertInvalid(JsonObject config, String... applications) {
    assertThat(catchThrowable(() -> deploy(config, applications)))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
  }

  /** With these applications declared, and no others. */
  private String deploy(JsonObject config, String... applications) throws Exception {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.write(services.resolve(RunlaneApplication.class.getName()), List.of(applications));
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, before)) {
      return vertx
          .deployVerticle(
              VERTICLE, new DeploymentOptions().setConfig(config).setClassLoader(loader))
          .await(60, TimeUnit.SECONDS);
    }
  }
}
