package dev.runlane.conformance.operator;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.given.TestRuns.scheduled;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.HOUR;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.TASK;
import static dev.runlane.conformance.kit.Given.WORKER;
import static dev.runlane.conformance.kit.Given.bounded;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Given.seconds;
import static dev.runlane.conformance.kit.Outcomes.assertFails;
import static dev.runlane.conformance.kit.Outcomes.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.process.EndProcess;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.LeasesOf;
import dev.runlane.operator.process.ListProcesses;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.storage.StorageCapability;
import dev.runlane.transport.PartitionLag;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who lives, who is gone, and which leases those hold who are. */
@DisplayName("processes")
public abstract class ProcessConformance extends OperatorConformance {
  @Test
  @Rule("operator")
  void a_process_is_listed_with_all_that_it_said_and_when() {
    RuntimeProcess process = new RuntimeProcess(
        "one",
        "machine 7",
        "0.2.0",
        List.of("worker", "scheduler"),
        List.of("default", "mail"),
        List.of(TASK),
        List.of(WORKER, "worker_2"),
        32,
        5,
        HOUR,
        NOON);
    sign(process, seconds(5));

    assertThat(list(ENVIRONMENT)).containsExactly(new KnownProcess(process, seconds(5)));
  }

  @Test
  @Rule("operator")
  void a_sign_of_life_replaces_the_one_before() {
    sign(process("one", WORKER), NOON);
    sign(process("one", "worker_2"), seconds(5));

    assertThat(list(ENVIRONMENT))
        .containsExactly(new KnownProcess(process("one", "worker_2"), seconds(5)));
  }

  @Test
  @Rule("operator")
  void how_far_a_process_is_behind_by_partition_is_what_it_told_last() {
    PartitionLag first = new PartitionLag("mail-topic", "runlane", 0, "mail", 12);
    PartitionLag far = new PartitionLag("mail-topic", "runlane", 7, "mail", 5_000_000_000L);
    PartitionLag other = new PartitionLag("web-topic", "runlane", 0, "web", 0);
    sign(process("one", WORKER, List.of(first, far, other)), NOON);
    assertThat(list(ENVIRONMENT).get(0).process().lags()).containsExactly(first, far, other);

    PartitionLag less = new PartitionLag("mail-topic", "runlane", 0, "mail", 3);
    sign(process("one", WORKER, List.of(less)), seconds(5));
    assertThat(list(ENVIRONMENT).get(0).process().lags()).containsExactly(less);

    sign(process("one", WORKER), seconds(10));
    assertThat(list(ENVIRONMENT).get(0).process().lags()).isEmpty();
  }

  @Test
  @Rule("operator")
  void a_process_is_gone_after_three_missed_signs_of_life_and_listed_for_a_day() {
    sign(process("one", WORKER), NOON);
    sign(process("two", "worker_2"), NOON.plus(OperatorStore.GONE_KEPT));

    KnownProcess one = list(ENVIRONMENT).get(0);
    assertThat(one.process().processId()).isEqualTo("one");
    assertThat(one.isGoneAt(seconds(15).minusNanos(1_000))).isFalse();
    assertThat(one.isGoneAt(seconds(15))).isTrue();

    sign(process("two", "worker_2"), NOON.plus(OperatorStore.GONE_KEPT).plusNanos(1_000));
    assertThat(list(ENVIRONMENT))
        .extracting(each -> each.process().processId())
        .containsExactly("two");
  }

  @Test
  @Rule("operator")
  void how_far_the_clock_of_a_process_is_ahead_of_the_storages_own_is_told_with_its_sign() {
    List<Duration> told = new ArrayList<>();
    for (Duration ahead : List.of(Duration.ofHours(1), Duration.ofHours(-1))) {
      Instant before = clock().orElse(NOON);
      sign(process("one", WORKER), before.plus(ahead));
      Duration taken = Duration.between(before, clock().orElse(NOON));

      Duration offset = known(ENVIRONMENT).get(0).clockOffset();
      if (offset != null) {
        told.add(offset);
        assertThat(offset) // kept by the millisecond
            .isBetween(ahead.minus(taken).minusMillis(1), ahead.plusMillis(1));
      }
    }
    // what lives in the memory of a process has that one's clock
    boolean hasItsOwn = storage.capabilities().contains(StorageCapability.DURABLE_STATE)
        && storage.clock().isPresent();
    assertThat(told).hasSize(hasItsOwn ? 2 : 0);
  }

  @Test
  @Rule("operator")
  void a_process_that_ends_in_order_is_forgotten_at_once() {
    sign(process("one", WORKER), NOON);

    done(operator.endProcess(new EndProcess(ENVIRONMENT, "one")));
    done(operator.endProcess(new EndProcess(ENVIRONMENT, "one")));

    assertThat(list(ENVIRONMENT)).isEmpty();
  }

  @Test
  @Rule("operator")
  void processes_are_listed_by_their_ids_in_pages() {
    for (String id : List.of("c", "a", "e", "b", "d")) {
      sign(process(id, WORKER), NOON);
    }

    assertThat(pages(cursor -> operator.listProcesses(new ListProcesses(ENVIRONMENT, 2, cursor))))
        .extracting(
            page -> page.stream().map(each -> each.process().processId()).toList())
        .containsExactly(List.of("a", "b"), List.of("c", "d"), List.of("e"));
  }

  @Test
  @Rule("operator")
  void the_leases_of_a_process_are_those_of_its_workers_that_have_not_expired() {
    given(running("held", minutes(1)));
    given(cancellationRequested("asked", minutes(2)));
    given(running("bounded", minutes(3)).queue(bounded(2)));
    given(running("expired", seconds(1)));
    given(queued("queued"));
    given(scheduled("scheduled", minutes(1)));
    sign(process("one", WORKER), NOON);
    sign(process("two", "worker_2"), NOON);

    assertThat(leases("one", seconds(1), 10))
        .containsExactly(
            new HeldLease("held", TASK, "default", WORKER, minutes(1)),
            new HeldLease("asked", TASK, "default", WORKER, minutes(2)),
            new HeldLease("bounded", TASK, "bounded", WORKER, minutes(3)));
    assertThat(leases("one", seconds(1), 2)).hasSize(2);
    assertThat(leases("one", minutes(1), 10))
        .extracting(HeldLease::runId)
        .containsExactly("asked", "bounded");
    assertThat(leases("two", seconds(1), 10)).isEmpty();
    assertThat(leases("unknown", seconds(1), 10)).isEmpty();
  }

  @Test
  @Rule("operator")
  void environments_have_their_own_processes() {
    sign(process("one", WORKER), NOON);

    assertThat(list(OTHER_ENVIRONMENT)).isEmpty();
    done(operator.endProcess(new EndProcess(OTHER_ENVIRONMENT, "one")));
    assertThat(list(ENVIRONMENT)).hasSize(1);
  }

  @Test
  @Rule({"operator", "S12"})
  void malformed_commands_are_refused() {
    assertFails(
        operator.signOfLife(new SignOfLife(ENVIRONMENT, process("", WORKER), NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.signOfLife(new SignOfLife(ENVIRONMENT, process("one", "a:b"), NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.signOfLife(new SignOfLife(
            ENVIRONMENT,
            process("one", WORKER, List.of(new PartitionLag("topic", "group", 0, "mail", -1))),
            NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.signOfLife(new SignOfLife(
            ENVIRONMENT,
            process(
                "one",
                WORKER,
                Collections.nCopies(
                    RuntimeProcess.MOST_LAGS + 1,
                    new PartitionLag("topic", "group", 0, "mail", 1))),
            NOON)),
        ErrorCode.VALIDATION_FAILED);
    assertThat(list(ENVIRONMENT)).isEmpty();
    assertFails(
        operator.leasesOf(new LeasesOf(ENVIRONMENT, "one", NOON, 0)), ErrorCode.VALIDATION_FAILED);
    assertFails(
        operator.listProcesses(new ListProcesses(ENVIRONMENT, null, "no cursor")),
        ErrorCode.VALIDATION_FAILED);
  }

  private static RuntimeProcess process(String id, String worker) {
    return process(id, worker, List.of());
  }

  private static RuntimeProcess process(String id, String worker, List<PartitionLag> lags) {
    return new RuntimeProcess(
        id,
        "machine",
        "",
        List.of("worker"),
        List.of("default", "bounded"),
        List.of(TASK),
        List.of(worker),
        8,
        1,
        HOUR,
        NOON,
        lags);
  }

  private void sign(RuntimeProcess process, Instant now) {
    done(operator.signOfLife(new SignOfLife(ENVIRONMENT, process, now)));
  }

  private Optional<Instant> clock() {
    return storage.clock().map(clock -> done(clock.now()));
  }

  private List<KnownProcess> known(Environment environment) {
    return done(operator.listProcesses(new ListProcesses(environment, null, null)))
        .data();
  }

  private List<KnownProcess> list(Environment environment) {
    return known(environment).stream()
        .map(known ->
            new KnownProcess(known.process(), known.lastSeen())) // clocks are the adapter's
        .toList();
  }

  private List<HeldLease> leases(String processId, Instant now, int limit) {
    return done(operator.leasesOf(new LeasesOf(ENVIRONMENT, processId, now, limit)));
  }
}
