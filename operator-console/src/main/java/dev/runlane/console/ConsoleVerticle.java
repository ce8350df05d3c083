package dev.runlane.console;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/** Starts a console when it is deployed and closes it when it is undeployed. */
public final class ConsoleVerticle extends VerticleBase {
  private final OperatorConsole console;

  /** Of this console. */
  public ConsoleVerticle(OperatorConsole console) {
    this.console = console;
  }

  @Override
  public Future<?> start() {
    return console.start();
  }

  @Override
  public Future<?> stop() {
    return console.close();
  }
}
