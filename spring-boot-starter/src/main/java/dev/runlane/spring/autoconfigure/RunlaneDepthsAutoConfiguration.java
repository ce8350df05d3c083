package dev.runlane.spring.autoconfigure;

import dev.runlane.runtime.Runlane;
import dev.runlane.telemetry.metrics.RunlaneDepths;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** What waits, in the application's own registry, unless it has a {@code RunlaneDepths} of its own. */
@AutoConfiguration(after = {RunlaneMetricsAutoConfiguration.class, RunlaneAutoConfiguration.class})
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, Runlane.class, Vertx.class})
public class RunlaneDepthsAutoConfiguration {
  /** For the class that Spring makes. */
  public RunlaneDepthsAutoConfiguration() {}

  /** Starts and stops them. */
  @Bean
  @ConditionalOnMissingBean(RunlaneDepths.class)
  DepthsLifecycle runlaneDepthsLifecycle(Vertx vertx, Runlane runlane, MeterRegistry registry) {
    return new DepthsLifecycle(vertx, runlane, registry);
  }
}
