package dev.runlane.testinfra.kafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an embedded broker is to run.
 *
 * @param keptFolder where data is kept, or null for a temporary broker
 * @param port 0 for any free one
 * @param settings of the broker; win over those it is started with by itself
 */
record KafkaPlan(
    @Nullable Path keptFolder, int port, Duration startTimeout, Map<String, String> settings) {

  KafkaPlan {
    settings = Map.copyOf(settings);
  }

  boolean isTemporary() {
    return keptFolder == null;
  }
}
