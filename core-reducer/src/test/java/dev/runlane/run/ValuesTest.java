package dev.runlane.run;

import static dev.runlane.run.SampleEvents.PRODUCTION;
import static dev.runlane.run.SampleEvents.at;
import static dev.runlane.run.SampleEvents.claimed;
import static dev.runlane.run.SampleEvents.created;
import static dev.runlane.run.SampleEvents.dispatchReserved;
import static dev.runlane.run.SampleEvents.header;
import static dev.runlane.run.SampleEvents.project;
import static dev.runlane.run.SampleEvents.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ValuesTest {
  private static final Instant FINE = Instant.parse("2026-01-01T12:00:00.123456789Z");
  private static final Instant CUT = Instant.parse("2026-01-01T12:00:00.123456Z");

  @Test
  void every_instant_of_an_event_is_cut_to_microseconds() {
    EventHeader header = EventHeader.bySystem(PRODUCTION, "run_1", FINE);
    DeliveryIntent delivery =
        new DeliveryIntent(PRODUCTION, "run_1", "emails", FINE, FINE, FINE, null);
    RunSource source = RunSource.schedule("nightly", "occ_1", FINE);

    assertThat(header.occurredAt()).isEqualTo(CUT);
    assertThat(created(header, FINE).runAt()).isEqualTo(CUT);
    assertThat(delivery.requestedAt()).isEqualTo(CUT);
    assertThat(delivery.availableAt()).isEqualTo(CUT);
    assertThat(delivery.dispatchExpiresAt()).isEqualTo(CUT);
    assertThat(new Lease("tok_1", "worker_1", FINE).expiresAt()).isEqualTo(CUT);
    assertThat(new DispatchReservation(FINE, FINE)).isEqualTo(new DispatchReservation(CUT, CUT));
    assertThat(new RunEvent.RetryScheduled(header, 1, SampleEvents.FAILURE, FINE).retryAt())
        .isEqualTo(CUT);
    assertThat(new RunEvent.Released(header, 1, FINE, null).resumeAt()).isEqualTo(CUT);
    assertThat(source.fireAt()).isEqualTo(CUT);
    assertThat(new RunEvent.StepRequested(header, "run_1:0", "sleep", null, null, 1, FINE).dueAt())
        .isEqualTo(CUT);
    assertThat(new RunEvent.StepCompleted(header, "run_1:0", 1, FINE, null, null).startedAt())
        .isEqualTo(CUT);
  }

  @Test
  void trace_carriers_are_copied() {
    Map<String, String> carrier = new HashMap<>(trace("t0"));
    EventHeader header = header(0).withTrace(carrier);
    DeliveryIntent delivery =
        new DeliveryIntent(PRODUCTION, "run_1", "emails", at(0), at(0), null, carrier);
    RunRecord run = project(created(header, null));

    carrier.clear();

    assertThat(header.traceCarrier()).isEqualTo(trace("t0"));
    assertThat(delivery.traceCarrier()).isEqualTo(trace("t0"));
    assertThat(run.traceCarrier()).isEqualTo(trace("t0"));
  }

  @Test
  void a_header_changes_in_one_field_at_a_time() {
    Json meta = Json.ofChecked("{}");
    Actor ada = Actor.operator("ada");

    EventHeader header = header(0).by(ada).withTrace(trace("t0")).withMeta(meta);

    assertThat(header)
        .isEqualTo(new EventHeader(PRODUCTION, "run_1", ada, at(0), trace("t0"), meta));
    assertThat(header(0).actor()).isEqualTo(ContractDefaults.SYSTEM_ACTOR);
    assertThat(ada).isEqualTo(new Actor(Actor.Type.OPERATOR, "ada"));
  }

  @Test
  void lease_and_reservation_expire_at_their_very_end() {
    Lease lease = new Lease("tok_1", "worker_1", at(30));
    DispatchReservation reservation = new DispatchReservation(at(0), at(30));

    assertThat(lease.isExpiredAt(at(30).minusNanos(1))).isFalse();
    assertThat(lease.isExpiredAt(at(30))).isTrue();
    assertThat(reservation.isExpiredAt(at(30).minusNanos(1))).isFalse();
    assertThat(reservation.isExpiredAt(at(30))).isTrue();
    assertThat(lease.until(at(60))).isEqualTo(new Lease("tok_1", "worker_1", at(60)));
  }

  @Test
  void only_the_leases_token_proves_ownership() {
    RunRecord run = project(created(0), claimed(0));

    assertThat(run.isLeasedWith("tok_0")).isTrue();
    assertThat(run.isLeasedWith("tok_1")).isFalse();
    assertThat(project(created(0)).isLeasedWith("tok_0")).isFalse();
  }

  @Test
  void a_slot_is_taken_by_a_live_reservation_or_a_lease_even_an_expired_one() {
    RunRecord reserved = project(created(0), dispatchReserved(0, 60));
    RunRecord running = project(created(0), claimed(0));

    assertThat(project(created(0)).occupiesSlotAt(at(0))).isFalse();
    assertThat(reserved.hasLiveReservationAt(at(59))).isTrue();
    assertThat(reserved.occupiesSlotAt(at(59))).isTrue();
    assertThat(reserved.occupiesSlotAt(at(60))).isFalse();
    assertThat(running.hasLiveReservationAt(at(0))).isFalse();
    assertThat(running.occupiesSlotAt(at(1_000))).isTrue();
  }

  @Test
  void lost_attempts_are_those_without_an_outcome() {
    RunCounters counters = new RunCounters(7, 2, 2, 1);

    assertThat(counters.lostAttempts(0)).isEqualTo(4);
    assertThat(counters.lostAttempts(1)).isEqualTo(3);
  }

  @Test
  void json_is_equal_by_its_text_and_does_not_print_it() {
    Json json = Json.ofChecked("\"geheim ü\"");

    assertThat(json).isEqualTo(Json.ofChecked("\"geheim ü\"")).hasSameHashCodeAs("\"geheim ü\"");
    assertThat(json).isNotEqualTo(Json.ofChecked("{}")).isNotEqualTo("\"geheim ü\"");
    assertThat(json.text()).isEqualTo("\"geheim ü\"");
    assertThat(json.sizeInBytes()).isEqualTo(11);
    assertThat(json).hasToString("Json[10 characters]");
  }

  @Test
  void keys_change_one_at_a_time() {
    IdempotencyTtl day = IdempotencyTtl.of(Duration.ofDays(1));
    RunKeys keys =
        RunKeys.NONE.withConcurrencyKey("c").withIdempotencyKey("i", day).withSingletonKey("s");

    assertThat(keys).isEqualTo(new RunKeys("c", "i", day, "s"));
    assertThat(keys.withoutIdempotencyKey()).isEqualTo(new RunKeys("c", null, null, "s"));
    assertThat(IdempotencyTtl.ACTIVE.retention()).isNull();
  }

  @Test
  void an_idempotency_key_has_a_retention_and_no_key_has_none() {
    assertThat(new RunKeys(null, "i", null, null).idempotencyTtl())
        .isEqualTo(IdempotencyTtl.of(Duration.ofDays(30)));
    assertThat(new RunKeys(null, null, IdempotencyTtl.ACTIVE, null)).isEqualTo(RunKeys.NONE);
  }

  @Test
  void a_source_says_where_the_run_comes_from() {
    assertThat(RunSource.TRIGGER)
        .isEqualTo(new RunSource(RunSource.Type.TRIGGER, null, null, null, null));
    assertThat(RunSource.schedule("nightly", "occ_1", at(0)))
        .isEqualTo(new RunSource(RunSource.Type.SCHEDULE, null, "nightly", "occ_1", at(0)));
    assertThat(RunSource.rerun("run_0"))
        .isEqualTo(new RunSource(RunSource.Type.RERUN, "run_0", null, null, null));
    assertThat(RunSource.manualRetry("run_0"))
        .isEqualTo(new RunSource(RunSource.Type.MANUAL_RETRY, "run_0", null, null, null));
  }

  @Test
  void a_step_id_names_its_run_and_its_position() {
    assertThat(StepIds.of("run_1", 12)).isEqualTo("run_1:12");
    assertThat(StepIds.position("run_1", "run_1:12")).hasValue(12);
    assertThat(List.of("run_1", "run_1:", "run_2:0", "run_1:x", "run_1:-1", "run_1:01", "run_1:+1"))
        .allSatisfy(id -> assertThat(StepIds.position("run_1", id)).isEmpty());
    assertThat(StepIds.position("run_1", "run_1:99999999999")).isEmpty();
  }

  @Test
  void a_step_failed_when_it_has_a_failure() {
    EventHeader header = header(0);

    assertThat(new RunEvent.StepCompleted(header, "run_1:0", 1, null, null, null).isFailed())
        .isFalse();
    assertThat(new RunEvent.StepCompleted(header, "run_1:0", 1, null, null, SampleEvents.FAILURE)
            .isFailed())
        .isTrue();
  }

  @Test
  void a_queue_is_bounded_when_it_has_a_limit() {
    assertThat(QueuePolicy.bounded("emails", 4)).isEqualTo(new QueuePolicy("emails", 4, null));
    assertThat(QueuePolicy.bounded("emails", 4).isBounded()).isTrue();
    assertThat(QueuePolicy.unbounded("emails").isBounded()).isFalse();
  }

  @Test
  void the_environment_key_is_its_name() {
    assertThat(PRODUCTION.environmentKey()).isEqualTo("production");
  }

  @Test
  void values_refuse_null_where_they_are_made() {
    assertThatThrownBy(() -> new Environment(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> new Lease(null, "worker_1", at(0)))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> new RunEvent.Started(null, 1))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> EventHeader.bySystem(PRODUCTION, null, at(0)))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> Json.ofChecked(null)).isInstanceOf(NullPointerException.class);
  }
}
