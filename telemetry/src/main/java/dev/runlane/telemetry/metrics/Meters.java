package dev.runlane.telemetry.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes meters, so that all of a name have the same labels, description and buckets. */
final class Meters {
  /** From what a claim takes to what waits for a person; in seconds when they are shown. */
  private static final Duration[] BUCKETS = {
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofMillis(2_500),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30),
    Duration.ofMinutes(1),
    Duration.ofMinutes(5),
    Duration.ofMinutes(30),
    Duration.ofHours(2)
  };

  private static final double[] COMMANDS = {1, 2, 4, 8, 16, 32, 64, 128, 256};

  private final MeterRegistry registry;
  private final boolean histograms;

  Meters(MeterRegistry registry, boolean histograms) {
    this.registry = registry;
    this.histograms = histograms;
  }

  /**
   * Removes what an earlier runtime of this process has left under these names: of two gauges of one name a registry
   * keeps the first, which would show what is closed for ever.
   */
  static void forget(MeterRegistry registry, String... names) {
    for (String name : names) {
      registry.find(name).meters().forEach(registry::remove);
    }
  }

  Counter counter(String name, String description, Tags tags) {
    return Counter.builder(name).description(description).tags(tags).register(registry);
  }

  /** Shows the number for as long as the registry has the meter. */
  void gauge(String name, String description, Tags tags, AtomicInteger number) {
    Gauge.builder(name, number, AtomicInteger::get)
        .description(description)
        .tags(tags)
        .strongReference(true)
        .register(registry);
  }

  Timer timer(String name, String description, Tags tags) {
    Timer.Builder timer = Timer.builder(name).description(description).tags(tags);
    return (histograms ? timer.serviceLevelObjectives(BUCKETS) : timer).register(registry);
  }

  DistributionSummary commands(String name, String description, Tags tags) {
    DistributionSummary.Builder summary =
        DistributionSummary.builder(name).description(description).tags(tags);
    return (histograms ? summary.serviceLevelObjectives(COMMANDS) : summary).register(registry);
  }
}
