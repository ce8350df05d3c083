package dev.runlane.runtime;

import dev.runlane.lane.Lane;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

/** A runtime: tasks and queues on a lane. Made by a builder, started once, closed once. */
public final class Runlane {
  private final Lane lane;
  private final RuntimeContext context;

  Runlane(Lane lane, RuntimeContext context) {
    this.lane = lane;
    this.context = context;
  }

  /** A builder of a runtime on {@code vertx}. */
  public static RunlaneBuilder builder(Vertx vertx, Lane lane) {
    return new RunlaneBuilder(RuntimeHost.of(vertx), lane);
  }

  /** A builder of a runtime on another host, such as a simulation's. */
  public static RunlaneBuilder builder(RuntimeHost host, Lane lane) {
    return new RunlaneBuilder(host, lane);
  }

  /** Starts the lane: storage, then transport. Completes when the runtime can be used. */
  public Future<Void> start() {
    return context.host().start().compose(started -> lane.start());
  }

  /** Closes the lane: transport, then storage. */
  public Future<Void> close() {
    return lane.close().eventually(() -> context.host().close());
  }

  RuntimeContext context() {
    return context;
  }
}
