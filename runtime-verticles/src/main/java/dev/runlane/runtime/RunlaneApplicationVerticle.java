package dev.runlane.runtime;

import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Starts the one {@link RunlaneApplication} that is declared on the class path, with its roles, from JSON alone: the
 * main verticle for vertx-launcher-application, or one among others. Its configuration has {@code database}, {@code
 * schema} and {@code environment}, as {@link ApplicationSettings}, and {@code deployment}, as {@link
 * RunlaneDeployment}; each may be missing. Undeploying it drains and closes the runtime.
 *
 * <p>The start fails with {@code ConfigurationInvalid} where none or several applications are declared, one cannot be
 * made, or the configuration has an unknown key or a value of another type.
 */
public class RunlaneApplicationVerticle extends VerticleBase {
  private static final Set<String> KEYS = Set.of("database", "schema", "environment", "deployment");

  private @Nullable Runlane runlane; // null until it is built

  /** For Vert.x, which makes it by its class name. */
  public RunlaneApplicationVerticle() {}

  @Override
  public Future<?> start() {
    JsonObject config = config();
    Set<String> unknown = new TreeSet<>(config.fieldNames());
    unknown.removeAll(KEYS);
    if (!unknown.isEmpty()) {
      throw RunlaneException.configurationInvalid(
          "the configuration of a Runlane application has no %s, but %s",
          unknown, new TreeSet<>(KEYS));
    }
    RunlaneDeployment deployment = deployment(config);
    ApplicationSettings settings = ApplicationSettings.of(
        text(config, "database"), text(config, "schema"), text(config, "environment"));
    return application().runtime(vertx, settings).compose(built -> {
      runlane = built;
      return built
          .deploy(vertx, deployment)
          .recover(failure -> built // Vert.x calls no stop after a start that failed
              .close()
              .transform((closed, second) -> Future.failedFuture(failure)));
    });
  }

  private static RunlaneDeployment deployment(JsonObject config) {
    Object given = config.getValue("deployment", new JsonObject());
    if (given instanceof JsonObject options) {
      return new RunlaneDeployment(options);
    }
    throw RunlaneException.configurationInvalid("deployment must be a JSON object");
  }

  private static @Nullable String text(JsonObject config, String key) {
    Object value = config.getValue(key);
    if (value == null || value instanceof String) {
      return (String) value;
    }
    throw RunlaneException.configurationInvalid("%s must be a text", key);
  }

  private static RunlaneApplication application() {
    List<ServiceLoader.Provider<RunlaneApplication>> declared;
    try {
      declared = ServiceLoader.load(RunlaneApplication.class).stream().toList();
      if (declared.size() == 1) {
        return declared.get(0).get();
      }
    } catch (ServiceConfigurationError | LinkageError unusable) {
      throw RunlaneException.configurationInvalid(
              "the declared RunlaneApplication cannot be made: %s", unusable)
          .causedBy(unusable);
    }
    throw RunlaneException.configurationInvalid(
        "one RunlaneApplication must be declared in META-INF/services/%s, but %d are: %s",
        RunlaneApplication.class.getName(),
        declared.size(),
        declared.stream().map(each -> each.type().getName()).sorted().toList());
  }

  @Override
  public Future<?> stop() {
    return runlane == null ? Future.succeededFuture() : runlane.close();
  }
}
