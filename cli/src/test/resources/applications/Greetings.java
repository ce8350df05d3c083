package greetings;

import dev.runlane.lane.Lanes;
import dev.runlane.postgres.options.PgAddress;
import dev.runlane.runtime.ApplicationSettings;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneApplication;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

public final class Greetings implements RunlaneApplication {
  static final Task<String> GREET = Task.define("greet", String.class)
      .handler((name, context) -> Future.succeededFuture(TaskResult.done("Hello " + name)));

  @Override
  public Future<Runlane> runtime(Vertx vertx, ApplicationSettings settings) {
    PgStorageOptions options = new PgStorageOptions()
        .setConnectOptions(PgAddress.parse(settings.database().orElseThrow()));
    settings.schema().ifPresent(options::setSchema);
    PgStorageAdapter storage = PgStorageAdapter.create(vertx, options);
    RunlaneOptions own = new RunlaneOptions();
    settings.environment().ifPresent(own::setEnvironment);
    return Future.succeededFuture(
        Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
            .options(own)
            .queue(TaskQueue.of("mail").asDefault())
            .task(GREET)
            .build());
  }
}
