package dev.runlane.conformance.storage.lease;

import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.MINUTE;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Given;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Race;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.limit.ListPublishedQueues;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.limit.QueueLimitStorage;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Processes tell one another their queues, and what a dead one said is forgotten when it expires. */
@DisplayName("publishing queues")
public abstract class QueueLimitConformance extends StorageConformance {
  private static final QueuePolicy BOUNDED = QueuePolicy.bounded("mail", 3);
  private static final QueuePolicy UNBOUNDED = QueuePolicy.unbounded("web");

  private QueueLimitStorage limits;

  /** Takes the capability of the adapter under test. */
  @BeforeEach
  final void openLimits() {
    limits = storage
        .queueLimits()
        .orElseThrow(() -> new AssertionError("the storage keeps no queues of processes"));
  }

  @Test
  @Rule("queues")
  void a_process_is_answered_its_own_queues_and_those_of_every_living_one() {
    publish("one", NOON, BOUNDED, UNBOUNDED);

    assertThat(publish("two", NOON, QueuePolicy.bounded("mail", 2)))
        .containsExactlyInAnyOrder(
            new PublishedQueue("one", "mail", 3, minutes(1)),
            new PublishedQueue("one", "web", null, minutes(1)),
            new PublishedQueue("two", "mail", 2, minutes(1)));
  }

  @Test
  @Rule("queues")
  void a_process_that_compares_is_answered_the_lowest_and_the_highest_limit_that_others_have() {
    publish("gone", NOON.minus(MINUTE), QueuePolicy.bounded("mail", 1));
    publish("one", NOON, BOUNDED, UNBOUNDED, QueuePolicy.bounded("alone", 1));
    publish("other", NOON, QueuePolicy.bounded("mail", 5), UNBOUNDED);
    publish("third", NOON, QueuePolicy.unbounded("mail"), QueuePolicy.bounded("web", 7));
    QueuePolicy mine = QueuePolicy.bounded("mail", 4);

    assertThat(compare("mine", mine, UNBOUNDED, QueuePolicy.bounded("unknown", 1)))
        .containsExactlyInAnyOrder(
            new PublishedQueue("one", "mail", 3, minutes(1)),
            new PublishedQueue("third", "mail", null, minutes(1)),
            new PublishedQueue("third", "web", 7, minutes(1)));
    assertThat(compare("mine", BOUNDED, UNBOUNDED))
        .containsExactlyInAnyOrder(
            new PublishedQueue("other", "mail", 5, minutes(1)),
            new PublishedQueue("third", "mail", null, minutes(1)),
            new PublishedQueue("third", "web", 7, minutes(1)));
    assertThat(list(ENVIRONMENT, NOON))
        .filteredOn(each -> each.processId().equals("mine"))
        .containsExactlyInAnyOrder(
            new PublishedQueue("mine", "mail", 3, minutes(1)),
            new PublishedQueue("mine", "web", null, minutes(1)));
    assertThat(compare("mine")).isEmpty();
    assertThat(list(ENVIRONMENT, NOON)).noneMatch(each -> each.processId().equals("mine"));
  }

  @Test
  @Rule("queues")
  void what_a_process_says_replaces_what_it_said() {
    publish("one", NOON, BOUNDED, UNBOUNDED);
    publish("one", minutes(1), QueuePolicy.bounded("mail", 9));

    assertThat(list(ENVIRONMENT, minutes(1)))
        .containsExactly(new PublishedQueue("one", "mail", 9, minutes(2)));
  }

  @Test
  @Rule("queues")
  void what_a_process_said_holds_until_it_expires() {
    publish("one", NOON, BOUNDED);

    assertThat(list(ENVIRONMENT, minutes(1).minusNanos(1_000))).hasSize(1);
    assertThat(list(ENVIRONMENT, minutes(1))).isEmpty();
    assertThat(publish("two", minutes(1), UNBOUNDED))
        .extracting(PublishedQueue::processId)
        .containsExactly("two");
  }

  @Test
  @Rule("queues")
  void what_a_process_said_expires_at_a_whole_microsecond() {
    assertThat(publish("one", NOON.plusNanos(1_999), BOUNDED))
        .extracting(PublishedQueue::expiresAt)
        .containsExactly(minutes(1).plusNanos(1_000));
    assertThat(list(ENVIRONMENT, minutes(1).plusNanos(999))).hasSize(1);
    assertThat(list(ENVIRONMENT, minutes(1).plusNanos(1_999))).isEmpty();
  }

  @Test
  @Rule("queues")
  void a_process_that_names_no_queue_takes_back_what_it_said() {
    publish("one", NOON, BOUNDED);

    assertThat(publish("one", NOON)).isEmpty();
    assertThat(list(ENVIRONMENT, NOON)).isEmpty();
  }

  @Test
  @Rule("queues")
  void a_process_that_was_away_for_long_is_back_with_its_next_word() {
    publish("one", NOON, BOUNDED);
    publish("two", Given.NEXT_YEAR, BOUNDED);

    assertThat(publish("one", Given.NEXT_YEAR, BOUNDED)).hasSize(2);
  }

  @Test
  @Rule("queues")
  void queues_may_be_listed_by_their_names() {
    publish("one", NOON, BOUNDED, UNBOUNDED, QueuePolicy.bounded("alone", 1));
    publish("other", NOON, BOUNDED);

    assertThat(named("mail", "alone", "unknown"))
        .containsExactlyInAnyOrder(
            new PublishedQueue("one", "alone", 1, minutes(1)),
            new PublishedQueue("one", "mail", 3, minutes(1)),
            new PublishedQueue("other", "mail", 3, minutes(1)));
    assertThat(named("unknown")).isEmpty();
    assertThat(list(ENVIRONMENT, NOON)).hasSize(4);
    assertFails(
        limits.listPublishedQueues(new ListPublishedQueues(ENVIRONMENT, NOON, List.of(""))),
        ErrorCode.VALIDATION_FAILED);
  }

  private List<PublishedQueue> named(String... queues) {
    return Outcomes.done(
        limits.listPublishedQueues(new ListPublishedQueues(ENVIRONMENT, NOON, List.of(queues))));
  }

  @Test
  @Rule("queues")
  void environments_are_independent() {
    publish("one", NOON, BOUNDED);

    assertThat(list(OTHER_ENVIRONMENT, NOON)).isEmpty();
  }

  @Test
  @Rule("queues")
  void processes_that_publish_at_once_are_all_remembered() {
    Race.Results<List<PublishedQueue>> race = race(Race.times(
        16,
        i -> adapter -> adapter
            .queueLimits()
            .orElseThrow()
            .publishQueues(new PublishQueues(
                ENVIRONMENT, "process_" + i % 8, List.of(BOUNDED), NOON, MINUTE))));

    assertThat(race.failures()).isEmpty();
    assertThat(list(ENVIRONMENT, NOON)).hasSize(8);
  }

  @Test
  @Rule({"queues", "S12"})
  void malformed_commands_are_refused() {
    assertFails(
        limits.publishQueues(new PublishQueues(ENVIRONMENT, "", List.of(), NOON, MINUTE)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        limits.publishQueues(
            new PublishQueues(ENVIRONMENT, "one", List.of(BOUNDED, BOUNDED), NOON, MINUTE)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        limits.publishAndCompare(
            new PublishQueues(ENVIRONMENT, "one", List.of(BOUNDED, BOUNDED), NOON, MINUTE)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        limits.publishQueues(new PublishQueues(
            ENVIRONMENT, "one", List.of(QueuePolicy.bounded("mail", 0)), NOON, MINUTE)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        limits.listPublishedQueues(new ListPublishedQueues(new Environment("a:b"), NOON)),
        ErrorCode.VALIDATION_FAILED);
  }

  private List<PublishedQueue> publish(String processId, Instant now, QueuePolicy... queues) {
    return Outcomes.done(limits.publishQueues(
        new PublishQueues(ENVIRONMENT, processId, List.of(queues), now, MINUTE)));
  }

  private List<PublishedQueue> compare(String processId, QueuePolicy... queues) {
    return Outcomes.done(limits.publishAndCompare(
        new PublishQueues(ENVIRONMENT, processId, List.of(queues), NOON, MINUTE)));
  }

  private List<PublishedQueue> list(Environment environment, Instant now) {
    return Outcomes.done(limits.listPublishedQueues(new ListPublishedQueues(environment, now)));
  }
}
