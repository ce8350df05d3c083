package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.Environment;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Storages that tell of cancellation requests wrongly. */
final class BrokenCancellations {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "tells nobody of cancellation requests",
          sources(real -> (environment, listener) -> real.subscribe(environment, runId -> {})),
          "Cancellations.every_listener_of_every_adapter_on_the_state_is_told"),
      that(
          "tells of cancellation requests on another thread",
          sources(real -> (environment, listener) ->
              real.subscribe(environment, runId -> ForkJoinPool.commonPool()
                  .execute(() -> listener.accept(runId)))),
          "Cancellations.a_listener_is_told_of_a_stored_request_on_the_context_that_subscribed"),
      that(
          "tells of cancellation requests after the subscription was closed",
          sources(real -> (environment, listener) -> real.subscribe(environment, listener)
              .map(subscription -> (Subscription) () -> Future.succeededFuture())),
          "Cancellations.a_closed_subscription_is_told_nothing_and_closes_twice"),
      that(
          "tells nobody of what it is asked to tell",
          sources(real -> real::subscribe),
          "Cancellations.whatever_else_is_to_be_told_of_a_run_reaches_every_adapter_on_the_state"),
      that(
          "tells of every append as of a cancellation request",
          Chatty::new,
          "Cancellations.other_events_other_environments_and_refused_requests_are_not_told"));

  private BrokenCancellations() {}

  private static UnaryOperator<StorageAdapter> sources(UnaryOperator<CancellationSource> breaking) {
    return real -> new ForwardingStorage(real) {
      @Override
      public Optional<CancellationSource> cancellations() {
        return real.cancellations().map(breaking);
      }
    };
  }

  private static final class Chatty extends ForwardingStorage implements CancellationSource {
    private final Map<Environment, List<Consumer<String>>> listeners = new ConcurrentHashMap<>();

    Chatty(StorageAdapter real) {
      super(real);
    }

    @Override
    public Optional<CancellationSource> cancellations() {
      return Optional.of(this);
    }

    @Override
    public Future<Subscription> subscribe(Environment environment, Consumer<String> listener) {
      listeners
          .computeIfAbsent(environment, key -> new CopyOnWriteArrayList<>())
          .add(listener);
      return Future.succeededFuture(() -> Future.succeededFuture());
    }

    @Override
    public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
      listeners
          .getOrDefault(command.environment(), List.of())
          .forEach(listener -> listener.accept(command.runId()));
      return real.appendRunEvents(command);
    }
  }
}
