package dev.runlane.console.stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.runtime.Runlane;
import dev.runlane.timing.Clock;
import dev.runlane.timing.ContextTurns;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the document says of changes. */
public final class StreamRoutes {
  private final Masks masks;
  private final Predicate<RoutingContext> isLoggedIn;
  private final int maxStreams;
  private final Clock clock;
  private final Clock storageClock;
  private final ChangeFeed feed;
  private @Nullable Context context; // of the server; none before the first stream

  /**
   * Over the runs of one runtime.
   *
   * @param isLoggedIn whether the token or session by which a request's caller is known still is one, when asked
   * @param bulkActions how far each action on many runs is, when asked
   * @param timers of the console's context
   * @param clock by which callers' tokens end; the storage's is known from how far that is ahead of it
   */
  public StreamRoutes(
      Runlane runlane,
      Masks masks,
      Predicate<RoutingContext> isLoggedIn,
      Supplier<List<ObjectNode>> bulkActions,
      int maxStreams,
      Timers timers,
      Clock clock) {
    this.masks = masks;
    this.isLoggedIn = isLoggedIn;
    this.maxStreams = maxStreams;
    this.clock = clock;
    storageClock = () -> clock.now().minus(runlane.clock().ahead()).truncatedTo(ChronoUnit.MICROS);
    feed =
        new ChangeFeed(new ChangeReader(runlane.runs(), masks), bulkActions, timers, storageClock);
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    return Map.of("streamChanges", this::stream);
  }

  /** No stream is told anything more. */
  public void close() {
    if (context != null) {
      ContextTurns.always(context, feed::close);
    }
  }

  private Future<Answer> stream(ApiCall call) {
    if (feed.size() >= maxStreams) {
      throw new ApiRefusal(
          ApiError.of(429, "resource_limit", maxStreams + " event streams are open already"));
    }
    context = call.http().vertx().getOrCreateContext();
    return Future.succeededFuture(new EventStream(
        () -> call.caller().isAllowedAt(clock.now()) && isLoggedIn.test(call.http()),
        masks.hidesFrom(call.caller()),
        call.one("run").orElse(null),
        Set.copyOf(call.all("type")),
        call.headerInstant("Last-Event-ID").orElseGet(storageClock::now),
        feed));
  }
}
