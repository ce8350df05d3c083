package dev.runlane.spring.autoconfigure;

import dev.runlane.telemetry.metrics.RunlaneMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** What the runtime does and what its storage sends, in the application's own registry. */
@AutoConfiguration(
    before = RunlaneAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
public class RunlaneMetricsAutoConfiguration {
  /** For the class that Spring makes. */
  public RunlaneMetricsAutoConfiguration() {}

  /** An observer of the runtime and of the statements of its storage. */
  @Bean
  @ConditionalOnMissingBean
  RunlaneMetrics runlaneMetrics(MeterRegistry registry) {
    return RunlaneMetrics.create(registry);
  }
}
