package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.runlane.conformance.CreationWakeupConformanceSuite;
import dev.runlane.conformance.broken.Broken;
import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.broken.SuiteRun;
import dev.runlane.conformance.fixture.LaneFixture;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The suite about creations that send their wakeups notices a view that breaks one sentence, and by which case. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Execution(CONCURRENT)
class BrokenCreationWakeupTest {
  private static final String GROUP = "CreationWakeups.";

  private static final List<BrokenAdapter<Views>> ALL = List.of(
      that(
          "sends nothing",
          views -> views.with((storage, transport) -> new WakingStorage(storage, transport) {
            @Override
            Future<Void> send(AppendRunEvents command, List<ClaimedOutboxMessage> wakeups) {
              return published(command, wakeups);
            }
          }),
          GROUP + "a_run_that_is_due_wakes_its_queue_without_an_outbox_message",
          GROUP + "of_many_runs_of_a_queue_that_are_created_at_once_one_at_least_is_named"),
      that(
          "leaves the messages to publishers too",
          views -> views.with((storage, transport) -> new WakingStorage(storage, transport) {
            @Override
            Future<Void> published(AppendRunEvents command, List<ClaimedOutboxMessage> messages) {
              return Future.succeededFuture();
            }
          }),
          GROUP + "a_run_that_is_due_wakes_its_queue_without_an_outbox_message",
          GROUP + "its_wakeup_counts_as_published"),
      that(
          "wakes for appends to runs that exist",
          views -> views.with((storage, transport) -> new WakingStorage(storage, transport) {
            @Override
            boolean isSent(AppendRunEvents command) {
              return true;
            }
          }),
          GROUP + "appends_to_a_run_that_exists_keep_their_messages"),
      that(
          "closes the storage with its view",
          views -> views.with((storage, transport) -> new WakingStorage(storage, transport) {
            private boolean isClosed;

            @Override
            public Future<Void> close() {
              isClosed = true;
              return super.close();
            }

            @Override
            boolean isSent(AppendRunEvents command) {
              return !isClosed && super.isSent(command);
            }
          }),
          GROUP + "starting_the_view_does_nothing_and_closing_it_closes_nothing"),
      that(
          "sends over any transport",
          Views::overAny,
          GROUP + "no_transport_but_its_own_is_sent_over"));

  static List<BrokenAdapter<Views>> all() {
    return ALL;
  }

  @ParameterizedTest(name = "a view that {0}")
  @MethodSource("all")
  void the_suite_notices(BrokenAdapter<Views> broken) {
    SuiteRun run = SuiteRun.of(Suite.class, broken);

    assertThat(broken.failing()).isNotEmpty();
    assertThat(run.failed()).containsAll(broken.failing());
  }

  @Test
  void a_view_that_breaks_none_passes() {
    SuiteRun run = SuiteRun.of(Right.class);

    assertThat(run.failed()).isEmpty();
    assertThat(run.passed()).hasSize(8);
  }

  private static LaneFixture fixtureOf(Views views) {
    MemoryLaneFixture real = new MemoryLaneFixture(Lanes::create);
    return new LaneFixture() {
      @Override
      public Future<Lane> open() {
        return real.open().map(lane -> new ForwardingLane(lane) {
          @Override
          public StorageAdapter storage() {
            return views.in(lane);
          }
        });
      }

      @Override
      public Lane compose(
          @Nullable StorageAdapter storage,
          @Nullable TransportAdapter transport,
          LaneOptions options) {
        return real.compose(storage, transport, options);
      }

      @Override
      public String queue() {
        return real.queue();
      }

      @Override
      public Future<List<DeliveryMessage>> received() {
        return real.received();
      }

      @Override
      public Future<Void> close() {
        return real.close();
      }
    };
  }

  /**
   * The views that the storage of a lane gives of itself.
   *
   * @param view one of them
   * @param isOverAny whether there is one for any transport
   */
  private record Views(
      BiFunction<StorageAdapter, TransportAdapter, StorageAdapter> view, boolean isOverAny) {
    static final Views RIGHT = new Views(WakingStorage::new, false);

    Views with(BiFunction<StorageAdapter, TransportAdapter, StorageAdapter> other) {
      return new Views(other, isOverAny);
    }

    Views overAny() {
      return new Views(view, true);
    }

    StorageAdapter in(Lane lane) {
      return new ForwardingStorageAdapter(lane.storage()) {
        @Override
        public Optional<StorageAdapter> withWakeups(TransportAdapter transport) {
          return isOverAny || transport == lane.transport()
              ? Optional.of(view.apply(delegate, transport))
              : Optional.empty();
        }
      };
    }
  }

  /** Run by the cases above only: its name fits no pattern of the build. */
  @ExtendWith(Broken.Resolver.class)
  static final class Suite extends CreationWakeupConformanceSuite {
    private final Broken broken;

    Suite(Broken broken) {
      this.broken = broken;
    }

    @Override
    protected LaneFixture fixture(Vertx vertx) {
      return fixtureOf(broken.of(ALL).apply(Views.RIGHT));
    }
  }

  static final class Right extends CreationWakeupConformanceSuite {
    @Override
    protected LaneFixture fixture(Vertx vertx) {
      return fixtureOf(Views.RIGHT);
    }
  }
}
