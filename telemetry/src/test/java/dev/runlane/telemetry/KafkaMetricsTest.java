package dev.runlane.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the meters of consumers of a real broker say. */
@Tag("slow") // a broker
@DisplayNameGeneration(ReplaceUnderscores.class)
class KafkaMetricsTest {
  @Test
  void a_dead_letter_counts_once_where_the_meters_of_a_transport_are_made_anew() {
    assertThat(deadLetters(LoadedKafka.scrape())).isEqualTo(1);
    assertThat(deadLetters(LoadedKafka.scrapeAnew())).isEqualTo(1);
  }

  private static double deadLetters(String scrape) {
    return scrape
        .lines()
        .filter(line -> line.startsWith("runlane_kafka_deadletters_total{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
