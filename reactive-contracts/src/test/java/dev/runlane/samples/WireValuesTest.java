package dev.runlane.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.SortDirection;
import dev.runlane.transport.IgnoredReason;
import dev.runlane.transport.TransportCapability;
import java.util.Arrays;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Strings that are stored or sent; they never change. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WireValuesTest {
  @Test
  void storage_capabilities_have_the_names_of_the_contract() {
    assertValues(
        StorageCapability.values(),
        StorageCapability::value,
        "durableState",
        "processLocalState",
        "readsRunHistory",
        "prunesRuns",
        "leasesRuns",
        "claimsScheduleOccurrences",
        "persistsOutbox",
        "enforcesIdempotency",
        "enforcesSingleton",
        "enforcesQueueConcurrency",
        "persistsSteps");
  }

  @Test
  void transport_capabilities_have_the_names_of_the_contract() {
    assertValues(
        TransportCapability.values(),
        TransportCapability::value,
        "durableDelivery",
        "messageGrouping",
        "nativeDelay",
        "orderedDelivery");
  }

  @Test
  void the_rest_is_in_snake_case_or_named_like_its_field() {
    assertValues(
        OutboxMessageStatus.values(),
        OutboxMessageStatus::value,
        "pending",
        "claimed",
        "failed",
        "published",
        "dead_lettered");
    assertValues(
        IgnoredReason.values(),
        IgnoredReason::value,
        "terminal",
        "not_due",
        "wrong_queue",
        "already_leased",
        "claim_lost",
        "queue_paused",
        "abandoned",
        "not_found");
    assertValues(SortDirection.values(), SortDirection::value, "asc", "desc");
    assertValues(RunSort.Field.values(), RunSort.Field::value, "createdAt", "updatedAt");
    assertValues(RunEventSort.Field.values(), RunEventSort.Field::value, "sequence", "occurredAt");
  }

  private static <T> void assertValues(T[] found, Function<T, String> value, String... expected) {
    assertThat(Arrays.stream(found).map(value)).containsExactly(expected);
  }
}
