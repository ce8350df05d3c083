package dev.runlane.cli.application;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.console.ConsoleOptions;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.runtime.Runlane;
import io.vertx.core.Vertx;
import java.util.Optional;
import java.util.function.Supplier;

/** The HTTP API of one runtime, and of jobs where there are some, while a command goes on. */
final class ServedApi {
  private final OperatorConsole console;
  private final dev.runlane.console.OperatorConsole api;
  private final ConsoleOptions options;

  ServedApi(
      OperatorConsole console,
      Vertx vertx,
      Runlane runlane,
      ConsoleOptions options,
      Optional<Jobs> jobs) {
    this.console = console;
    this.options = options;
    dev.runlane.console.OperatorConsole runs =
        dev.runlane.console.OperatorConsole.create(vertx, runlane, options, console.clock());
    api = jobs.map(runs::withJobs).orElse(runs);
  }

  /** Listens, says where, does the work and listens no more. */
  OperatorExit during(Supplier<OperatorExit> work) {
    int listening = console.await(api.start());
    try {
      String address = ApiOptions.address(options, listening);
      console
          .out()
          .println("API at " + address + "/api/v1, described at " + address + "/api/openapi.json");
      return work.get();
    } finally {
      console.close("the API", api.close());
    }
  }
}
