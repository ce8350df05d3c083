package dev.runlane.cli.application;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.alert.AlertChannel;
import dev.runlane.runtime.alert.AlertVerticle;
import io.vertx.core.Vertx;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The rules of alerts of one runtime's environment, looked at while a command goes on. */
final class ServedAlerts {
  private final OperatorConsole console;
  private final Vertx vertx;
  private final Runlane runlane;
  private final Optional<AlertFile.Settings> settings;

  ServedAlerts(
      OperatorConsole console,
      Vertx vertx,
      Runlane runlane,
      Optional<AlertFile.Settings> settings) {
    this.console = console;
    this.vertx = vertx;
    this.runlane = runlane;
    this.settings = settings;
  }

  /** Looks, says so, does the work and looks no more. */
  OperatorExit during(Supplier<OperatorExit> work) {
    if (settings.isEmpty()) {
      return work.get();
    }
    AlertFile.Settings given = settings.get();
    String deployed = console.await(
        vertx.deployVerticle(new AlertVerticle(runlane, given.channels(), given.options())));
    try {
      String names =
          given.channels().stream().map(AlertChannel::name).collect(Collectors.joining(", "));
      console
          .out()
          .println("Looking at the rules of alerts"
              + (names.isEmpty() ? ", telling nobody" : ", telling " + names));
      return work.get();
    } finally {
      console.close("the watcher of alerts", vertx.undeploy(deployed));
    }
  }
}
