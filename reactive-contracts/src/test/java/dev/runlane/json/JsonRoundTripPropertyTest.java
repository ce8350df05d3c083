package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.json.record.RunEventJson;
import dev.runlane.json.record.RunRecordJson;
import dev.runlane.json.record.TraceCarrierJson;
import dev.runlane.run.Actor;
import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.DispatchReservation;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.EventHeader;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.run.Lease;
import dev.runlane.run.RunCounters;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.run.StepDispatch;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.time.api.DateTimes;

/** Whatever is written is read back equal, and writing it again gives the same text. */
class JsonRoundTripPropertyTest {
  @Property(tries = 500)
  void an_event_survives_both_forms(@ForAll("events") RunEvent event) {
    Json written = RunEventJson.write(event);
    EventHeader header = event.header();
    Json body = RunEventJson.body(event);

    assertThat(RunEventJson.read(written)).isEqualTo(event);
    assertThat(RunEventJson.write(RunEventJson.read(written))).isEqualTo(written);
    assertThat(RunEventJson.readBody(
            header.environment(), header.runId(), event.type().value(), header.occurredAt(), body))
        .isEqualTo(event);
  }

  @Property(tries = 200)
  void a_stored_event_survives(
      @ForAll("events") RunEvent event, @ForAll("texts") String id, @ForAll long sequence) {
    RunEventRecord row = new RunEventRecord(id, sequence, event);

    assertThat(RunEventJson.readRecord(RunEventJson.write(row))).isEqualTo(row);
  }

  @Property(tries = 300)
  void a_run_survives(@ForAll("runs") RunRecord run) {
    Json written = RunRecordJson.write(run);

    assertThat(RunRecordJson.read(written)).isEqualTo(run);
    assertThat(RunRecordJson.write(RunRecordJson.read(written))).isEqualTo(written);
  }

  @Property(tries = 200)
  void failures_and_trace_carriers_survive(
      @ForAll("failures") FailureRecord failure, @ForAll("carriers") Map<String, String> carrier) {
    assertThat(RunRecordJson.readFailure(RunRecordJson.write(failure))).isEqualTo(failure);
    assertThat(TraceCarrierJson.read(TraceCarrierJson.write(carrier))).isEqualTo(carrier);
  }

  @Property(tries = 500)
  void a_valid_value_is_accepted_as_it_is(@ForAll("values") Json value) {
    assertThat(JsonValues.parse("payload", value.text(), JsonLimits.PAYLOAD)).isEqualTo(value);
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings().ofMaxLength(12).map(StorableText::repaired);
  }

  @Provide
  Arbitrary<Map<String, String>> carriers() {
    return Arbitraries.maps(texts(), texts()).ofMaxSize(4);
  }

  @Provide
  Arbitrary<FailureRecord> failures() {
    return Combinators.combine(
            Arbitraries.of(ErrorCode.class), texts(), Arbitraries.of(true, false), metas())
        .as(FailureRecord::new);
  }

  @Provide
  Arbitrary<Json> values() {
    return value(3).map(Json::ofChecked);
  }

  @Provide
  Arbitrary<RunEvent> events() {
    Arbitrary<Integer> attempts = Arbitraries.integers().greaterOrEqual(0);
    Arbitrary<String> reasons = texts().injectNull(0.3);
    return Arbitraries.oneOf(
        Combinators.combine(
                headers(), texts(), texts(), values(), instantsOrNull(), keys(), sources())
            .as(RunEvent.Created::new),
        Combinators.combine(headers(), deliveries()).as(RunEvent.DeliveryRequested::new),
        Combinators.combine(headers(), leases()).as(RunEvent.LeaseClaimed::new),
        Combinators.combine(headers(), leases()).as(RunEvent.LeaseHeartbeat::new),
        Combinators.combine(headers(), attempts).as(RunEvent.Started::new),
        Combinators.combine(headers(), attempts, metas()).as(RunEvent.Succeeded::new),
        Combinators.combine(headers(), attempts, failures()).as(RunEvent.Failed::new),
        Combinators.combine(headers(), attempts, failures(), instants())
            .as(RunEvent.RetryScheduled::new),
        Combinators.combine(headers(), attempts, instants(), reasons, awaitings())
            .as(RunEvent.Released::new),
        Combinators.combine(
                headers(),
                texts(),
                texts(),
                reasons,
                metas(),
                attempts,
                instantsOrNull(),
                dispatches().injectNull(0.5))
            .as(RunEvent.StepRequested::new),
        Combinators.combine(
                headers(),
                texts(),
                attempts,
                instantsOrNull(),
                metas(),
                failures().injectNull(0.5),
                instantsOrNull())
            .as(RunEvent.StepCompleted::new),
        Combinators.combine(headers(), reasons).as(RunEvent.CancellationRequested::new),
        Combinators.combine(headers(), reasons).as(RunEvent.Cancelled::new));
  }

  @Provide
  Arbitrary<RunRecord> runs() {
    Arbitrary<RunEvent.Created> creations = Combinators.combine(
            headers(), texts(), texts(), values(), instantsOrNull(), keys(), sources())
        .as(RunEvent.Created::new);
    Arbitrary<DispatchReservation> reservations =
        Combinators.combine(instants(), instants()).as(DispatchReservation::new);
    Arbitrary<RunRecord> waiting = Combinators.combine(
            creations,
            Arbitraries.of(RunStatus.class),
            counters(),
            reservations.injectNull(0.5),
            awaitings())
        .as((creation, status, counters, reservation, awaiting) -> RunRecord.builder(creation)
            .status(status)
            .eventSequence(9)
            .counters(counters)
            .reservation(reservation)
            .awaiting(awaiting)
            .build());
    return Combinators.combine(
            waiting,
            leases().injectNull(0.3),
            failures().injectNull(0.3),
            metas(),
            instants(),
            instantsOrNull(),
            instantsOrNull())
        .as((run, lease, failure, output, updatedAt, startedAt, finishedAt) -> run.toBuilder()
            .lease(lease)
            .failure(failure)
            .output(output)
            .updatedAt(updatedAt)
            .startedAt(startedAt)
            .finishedAt(finishedAt)
            .build());
  }

  private Arbitrary<Awaiting> awaitings() {
    return Arbitraries.of(Awaiting.class).injectNull(0.5);
  }

  private Arbitrary<EventHeader> headers() {
    Arbitrary<Actor> actors = Combinators.combine(
            Arbitraries.of(Actor.Type.class), texts().injectNull(0.5))
        .as(Actor::new);
    return Combinators.combine(
            texts().map(Environment::new),
            texts(),
            actors,
            instants(),
            carriers().injectNull(0.3),
            metas())
        .as(EventHeader::new);
  }

  private Arbitrary<DeliveryIntent> deliveries() {
    return Combinators.combine(
            texts().map(Environment::new),
            texts(),
            texts(),
            instants(),
            instants(),
            instantsOrNull(),
            carriers().injectNull(0.3))
        .as(DeliveryIntent::new);
  }

  private Arbitrary<StepDispatch> dispatches() {
    Arbitrary<Integer> counts = Arbitraries.integers().greaterOrEqual(0);
    Arbitrary<Duration> pauses =
        Arbitraries.longs().between(0, 1_000_000_000).map(Duration::ofMillis);
    return Combinators.combine(instants(), counts, pauses, pauses, counts).as(StepDispatch::new);
  }

  private Arbitrary<Lease> leases() {
    return Combinators.combine(texts(), texts(), instants()).as(Lease::new);
  }

  private Arbitrary<RunCounters> counters() {
    Arbitrary<Integer> counts = Arbitraries.integers().greaterOrEqual(0);
    return Combinators.combine(counts, counts, counts, counts).as(RunCounters::new);
  }

  private Arbitrary<RunKeys> keys() {
    Arbitrary<IdempotencyTtl> ttls = Arbitraries.oneOf(
        Arbitraries.just(IdempotencyTtl.ACTIVE),
        Arbitraries.longs().between(1, 1L << 50).map(Duration::ofMillis).map(IdempotencyTtl::of));
    Arbitrary<String> keys = texts().injectNull(0.3);
    return Combinators.combine(keys, keys, ttls, keys).as(RunKeys::new);
  }

  private Arbitrary<RunSource> sources() {
    Arbitrary<String> ids = texts().injectNull(0.3);
    return Combinators.combine(
            Arbitraries.of(RunSource.Type.class), ids, ids, ids, instantsOrNull())
        .as(RunSource::new);
  }

  private Arbitrary<Json> metas() {
    return values().injectNull(0.3);
  }

  private Arbitrary<Instant> instants() {
    return DateTimes.instants().map(instant -> instant.truncatedTo(ChronoUnit.MICROS));
  }

  private Arbitrary<Instant> instantsOrNull() {
    return instants().injectNull(0.3);
  }

  private Arbitrary<String> value(int depth) {
    Arbitrary<String> spaces = Arbitraries.of("", " ", "\n", "\t ");
    Arbitrary<String> strings = texts()
        .map(text -> JsonValues.object(Map.of("", text)).text())
        .map(text -> text.substring(4, text.length() - 1));
    Arbitrary<String> leaves = Arbitraries.oneOf(
        strings,
        Arbitraries.of("null", "true", "false", "-0", "1.00", "1e2", "1E-5", "[ ]", "{ }"));
    if (depth == 0) {
      return leaves;
    }
    Arbitrary<String> inner = value(depth - 1);
    return Arbitraries.oneOf(
        leaves,
        Combinators.combine(inner, inner, spaces)
            .as((one, two, space) -> "[" + space + one + "," + space + two + "]"),
        Combinators.combine(inner, inner, strings, spaces)
            .as((one, two, name, space) -> "{" + space + name + space + ":" + one + space
                + ",\"a name that nothing makes\":" + two + space + "}"));
  }
}
