package dev.runlane.operator.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.transport.PartitionLag;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class KnownProcessTest {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");
  private static final Instant BEFORE = NOON.minusSeconds(5);
  private static final Instant LONG_AGO = NOON.minusSeconds(60);

  private static KnownProcess process(String id, Instant lastSeen, PartitionLag... lags) {
    return new KnownProcess(
        new RuntimeProcess(
            id,
            "host",
            "",
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            1,
            0,
            Duration.ofSeconds(30),
            LONG_AGO,
            List.of(lags)),
        lastSeen);
  }

  private static PartitionLag lag(String topic, String group, int partition, long records) {
    return new PartitionLag(topic, group, partition, "mail", records);
  }

  @Test
  void the_lags_of_processes_are_put_together_by_topic_and_group() {
    List<TopicLag> topics = TopicLag.of(
        List.of(
            process("one", NOON, lag("web", "main", 0, 1), lag("mail", "main", 1, 30)),
            process("two", NOON, lag("mail", "main", 0, 4), lag("mail", "other", 0, 9)),
            process("idle", NOON)),
        NOON);

    assertThat(topics)
        .containsExactly(
            new TopicLag(
                "mail",
                "main",
                "mail",
                List.of(
                    new TopicLag.Partition(0, 4, "two", NOON, false),
                    new TopicLag.Partition(1, 30, "one", NOON, false))),
            new TopicLag(
                "mail", "other", "mail", List.of(new TopicLag.Partition(0, 9, "two", NOON, false))),
            new TopicLag(
                "web", "main", "mail", List.of(new TopicLag.Partition(0, 1, "one", NOON, false))));
    assertThat(topics.get(0).records()).isEqualTo(34);
    assertThat(topics.get(0).mostRecords()).isEqualTo(30);
  }

  @Test
  void of_a_partition_that_went_to_another_process_the_later_one_counts() {
    List<TopicLag> topics = TopicLag.of(
        List.of(
            process("gone", LONG_AGO, lag("mail", "main", 0, 70), lag("mail", "main", 1, 7)),
            process("heir", BEFORE, lag("mail", "main", 0, 12))),
        NOON);

    assertThat(topics).singleElement().satisfies(topic -> {
      assertThat(topic.partitions())
          .containsExactly(
              new TopicLag.Partition(0, 12, "heir", BEFORE, false),
              new TopicLag.Partition(1, 7, "gone", LONG_AGO, true));
      assertThat(topic.left()).extracting(TopicLag.Partition::partition).containsExactly(1);
    });
  }

  @Test
  void a_process_whose_clock_is_behind_is_not_gone_for_that() {
    RuntimeProcess process = process("behind", LONG_AGO).process();

    assertThat(new KnownProcess(process, LONG_AGO).isGoneAt(NOON)).isTrue();
    assertThat(new KnownProcess(process, LONG_AGO, Duration.ofSeconds(-58)).isGoneAt(NOON))
        .isFalse();
    assertThat(new KnownProcess(process, NOON, Duration.ofSeconds(58)).isGoneAt(NOON))
        .isTrue();
  }

  @Test
  void without_partitions_there_is_no_topic() {
    assertThat(TopicLag.of(List.of(process("one", NOON)), NOON)).isEmpty();
  }
}
