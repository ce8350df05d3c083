package dev.runlane.conformance.storage.read;

import static dev.runlane.conformance.given.TestRuns.cancellationRequested;
import static dev.runlane.conformance.given.TestRuns.queued;
import static dev.runlane.conformance.given.TestRuns.running;
import static dev.runlane.conformance.kit.Given.ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.NOON;
import static dev.runlane.conformance.kit.Given.OTHER_ENVIRONMENT;
import static dev.runlane.conformance.kit.Given.minutes;
import static dev.runlane.conformance.kit.Outcomes.assertConflict;
import static dev.runlane.run.StorageConflictKind.EVENT_SEQUENCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.Events;
import dev.runlane.conformance.kit.EventRecorder;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.storage.StorageConformance;
import dev.runlane.run.Environment;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendRunEvents;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Owners learn of a cancellation request soon after it was stored. */
@DisplayName("pushing cancellation requests")
public abstract class CancellationSourceConformance extends StorageConformance {
  @Test
  @Rule("cancel")
  void a_listener_is_told_of_a_stored_request_on_the_context_that_subscribed() {
    Context context = contexts.get(1);
    Promise<Context> told = Promise.promise();
    Outcomes.done(subscribeOn(context, source(storage), ENVIRONMENT, runId -> {
      if (runId.equals("run_1")) {
        told.tryComplete(Vertx.currentContext());
      }
    }));

    given(cancellationRequested("run_1", minutes(1)));

    assertThat(Outcomes.done(told.future())).isSameAs(context);
  }

  @Test
  @Rule("cancel")
  void every_listener_of_every_adapter_on_the_state_is_told() {
    List<StorageAdapter> adapters = competitors();
    EventRecorder first = listen(contexts.get(0), source(adapters.get(0)), ENVIRONMENT);
    EventRecorder second = listen(contexts.get(1), source(adapters.get(0)), ENVIRONMENT);
    EventRecorder other =
        listen(contexts.get(2), source(adapters.get(adapters.size() - 1)), ENVIRONMENT);

    given(cancellationRequested("run_1", minutes(1)));

    first.await("run_1");
    second.await("run_1");
    other.await("run_1");
  }

  @Test
  @Rule({"cancel", "B01"})
  void a_request_that_comes_in_a_batch_is_told_as_well() {
    EventRecorder heard = listen(contexts.get(0), source(storage), ENVIRONMENT);
    RunRecord one = given(running("run_1", minutes(1)));
    RunRecord other = given(running("run_2", minutes(1)));
    List<AppendRunEvents> requests = List.of(
        Commands.append(one, NOON, Events.cancellationRequested(one, NOON)),
        Commands.append(
            other,
            NOON,
            Events.stepCompleted(other, NOON, 0),
            Events.cancellationRequested(other, NOON)));

    storage
        .batch()
        .ifPresentOrElse(
            batch -> Outcomes.done(batch.appendAll(requests)),
            () -> requests.forEach(each -> Outcomes.done(storage.appendRunEvents(each))));

    heard.await("run_1");
    heard.await("run_2");
  }

  @Test
  @Rule("cancel")
  void other_events_other_environments_and_refused_requests_are_not_told() {
    EventRecorder heard = listen(contexts.get(0), source(storage), ENVIRONMENT);
    given(queued("run_1"));
    RunRecord run = given(running("run_2", minutes(1)));
    given(cancellationRequested("run_3", minutes(1)).environment(OTHER_ENVIRONMENT));
    append(run, NOON, Events.succeeded(run, NOON));
    assertConflict(
        storage.appendRunEvents(
            Commands.append(run, NOON, Events.cancellationRequested(run, NOON))),
        EVENT_SEQUENCE);

    given(cancellationRequested("run_marker", minutes(1)));

    heard.await("run_marker");
    assertThat(heard.all()).containsOnly("run_marker");
  }

  @Test
  @Rule("cancel")
  void whatever_else_is_to_be_told_of_a_run_reaches_every_adapter_on_the_state() {
    List<StorageAdapter> adapters = competitors();
    EventRecorder here = listen(contexts.get(0), source(adapters.get(0)), ENVIRONMENT);
    EventRecorder there =
        listen(contexts.get(1), source(adapters.get(adapters.size() - 1)), ENVIRONMENT);

    Outcomes.done(source(adapters.get(0)).notifyRunOwner(OTHER_ENVIRONMENT, "run_1"));
    Outcomes.done(source(adapters.get(0)).notifyRunOwner(ENVIRONMENT, "run_2"));

    here.await("run_2");
    there.await("run_2");
    assertThat(there.all()).containsOnly("run_2");
  }

  @Test
  @Rule("cancel")
  void a_closed_subscription_is_told_nothing_and_closes_twice() {
    EventRecorder closed = listen(contexts.get(0), source(storage), ENVIRONMENT);
    EventRecorder open = listen(contexts.get(0), source(storage), ENVIRONMENT);
    Outcomes.done(closed.close());
    Outcomes.done(closed.close());

    given(cancellationRequested("run_1", minutes(1)));
    given(cancellationRequested("run_2", minutes(1)));

    open.await("run_1");
    open.await("run_2");
    assertThat(closed.all()).isEmpty();
  }

  private static EventRecorder listen(
      Context context, CancellationSource source, Environment environment) {
    return EventRecorder.through(heard -> subscribeOn(context, source, environment, heard::record));
  }

  private static CancellationSource source(StorageAdapter adapter) {
    return adapter
        .cancellations()
        .orElseThrow(() -> new AssertionError("the storage pushes no cancellations"));
  }

  private static Future<Subscription> subscribeOn(
      Context context, CancellationSource source, Environment scope, Consumer<String> listener) {
    Promise<Subscription> subscribed = Promise.promise();
    context.runOnContext(start -> source.subscribe(scope, listener).onComplete(subscribed));
    return subscribed.future();
  }
}
