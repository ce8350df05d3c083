package dev.runlane.example;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.run.ErrorCode;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of orders, in virtual time. */
@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class OrderTasksTest {
  private static final String CARD = "4000-0000-0000-0001";

  private RunlaneTesting testing;
  private OrderTasks tasks;

  @BeforeEach
  void deploy(RunlaneTesting testing) {
    this.testing = testing;
    tasks = new OrderTasks(
        new Payments(testing.clock(), testing.timers()), new Carrier(testing.clock()));
    OrderTasks.queues().forEach(testing::queue);
    testing.deploy(tasks.all());
  }

  private TestRun order(String id, String card) {
    return testing.trigger(tasks.charge(), new Order(id, "m1", card, 500, 0));
  }

  private List<TestRun> shipments() {
    return testing.runs().stream()
        .filter(run -> run.record().taskId().equals("orders.ship"))
        .toList();
  }

  @Test
  void an_order_is_charged_and_shipped_once_the_parcel_is_picked_up() {
    TestRun charge = order("A-1", CARD);

    testing.runUntilIdle();

    assertThat(charge).succeeded();
    assertThat(shipments()).singleElement().satisfies(shipment -> assertThat(shipment)
        .succeeded()
        .afterAttempts(2)
        .afterFailures(0)
        .wasReleasedBecause("wait for shipment"));
  }

  @Test
  void a_declined_card_is_not_tried_again_and_nothing_is_shipped() {
    TestRun charge = order("A-1", Payments.DECLINED_CARD);

    testing.runUntilIdle();

    assertThat(charge)
        .failedWith(ErrorCode.TASK_FAILED)
        .hasFailureContaining("the card was declined")
        .afterAttempts(1);
    assertThat(shipments()).isEmpty();
  }

  @Test
  void a_provider_that_does_not_answer_in_time_is_asked_again_later_and_later() {
    testing.faults().failAttempts("orders.charge", 3);

    TestRun charge = order("A-1", CARD);
    testing.runUntilIdle();

    assertThat(charge).succeeded().afterFailures(3);
    assertThat(charge.history().pauses()).isSorted();
  }

  @Test
  void a_crash_charges_and_ships_an_order_once() {
    TestRun charge = order("A-1", CARD);
    testing.runDue();

    testing.kill();
    testing.deploy(tasks.all()).runUntilIdle();

    assertThat(charge).succeeded();
    assertThat(charge.attempts().get(0).outcome()).isEqualTo(RunAttempt.Outcome.LOST);
    assertThat(shipments()).hasSize(1);
  }

  @Test
  void three_payments_of_a_merchant_are_under_way_at_a_time() {
    List<TestRun> charges =
        IntStream.range(0, 5).mapToObj(number -> order("A-" + number, CARD)).toList();

    testing.runDue();
    assertThat(charges).filteredOn(charge -> charge.status().isLeased()).hasSize(3);

    testing.runUntilIdle();
    assertThat(charges).allSatisfy(charge -> assertThat(charge).succeeded());
  }

  @Test
  void merchants_are_settled_with_each_night_in_berlin() {
    testing.advance(Duration.ofDays(2));

    assertThat(testing.runs())
        .hasSize(2)
        .allSatisfy(run -> assertThat(run).succeeded().hasOutput(Map.of("settledIn", "EUR")));
    assertThat(testing.runs().get(0).record().createdAt())
        .isBetween("2026-01-02T01:00:00Z", "2026-01-02T01:00:01Z");
  }
}
