package dev.runlane.spring.autoconfigure;

import dev.runlane.runtime.Runlane;
import dev.runlane.telemetry.health.RunlaneHealth;
import io.vertx.core.Vertx;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** What has to be well for this process to be ready, as a contributor of Actuator's health. */
@AutoConfiguration(after = RunlaneAutoConfiguration.class)
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean({Runlane.class, Vertx.class})
public class RunlaneHealthAutoConfiguration {
  /** For the class that Spring makes. */
  public RunlaneHealthAutoConfiguration() {}

  /** Named {@code runlane} in Actuator. */
  @Bean
  @ConditionalOnEnabledHealthIndicator("runlane")
  @ConditionalOnMissingBean(name = "runlaneHealthIndicator")
  HealthIndicator runlaneHealthIndicator(Vertx vertx, Runlane runlane) {
    return new ReadinessIndicator(RunlaneHealth.create(vertx, runlane).readiness());
  }
}
