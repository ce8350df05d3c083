package dev.runlane.conformance;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The Vert.x of a test run and a few of its contexts, each on an event loop of its own. */
final class SuiteVertx implements AutoCloseable {
  private static final int EVENT_LOOPS = 4;

  private final Vertx vertx;
  private final List<Context> contexts = new CopyOnWriteArrayList<>();

  private SuiteVertx(Vertx vertx) {
    this.vertx = vertx;
  }

  static SuiteVertx open() {
    SuiteVertx opened =
        new SuiteVertx(Vertx.vertx(new VertxOptions().setEventLoopPoolSize(EVENT_LOOPS)));
    Outcomes.done(opened.vertx.deployVerticle(
        opened::contextHolder, new DeploymentOptions().setInstances(EVENT_LOOPS)));
    return opened;
  }

  Vertx vertx() {
    return vertx;
  }

  List<Context> contexts() {
    return List.copyOf(contexts);
  }

  @Override
  public void close() {
    Outcomes.done(vertx.close());
  }

  private AbstractVerticle contextHolder() {
    return new AbstractVerticle() {
      @Override
      public void start() {
        contexts.add(context);
      }
    };
  }
}
