package dev.runlane.spring.autoconfigure;

import io.vertx.ext.healthchecks.CheckResult;
import io.vertx.ext.healthchecks.HealthChecks;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The checks of readiness, each with what is wrong and what to do. */
final class ReadinessIndicator extends AbstractHealthIndicator {
  private static final int PATIENCE_SECONDS = 10;

  private final HealthChecks checks;

  ReadinessIndicator(HealthChecks checks) {
    super("the checks of Runlane failed");
    this.checks = checks;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) throws Exception {
    CheckResult result = checks.checkStatus().await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (CheckResult.isUp(result)) {
      builder.up();
    } else {
      builder.down();
    }
    addDetails(builder, "", result);
  }

  private static void addDetails(Health.Builder builder, String path, CheckResult result) {
    String name = result.getId() == null ? path : path + result.getId();
    if (result.getChecks() != null) {
      String below = name.isEmpty() ? "" : name + ".";
      result.getChecks().forEach(check -> addDetails(builder, below, check));
    } else if (!name.isEmpty()) {
      builder.withDetail(
          name,
          result.getData() == null || result.getData().isEmpty()
              ? (CheckResult.isUp(result) ? "UP" : "DOWN")
              : result.getData().getMap());
    }
  }
}
