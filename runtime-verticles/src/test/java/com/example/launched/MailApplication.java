package com.example.launched;

import dev.runlane.runtime.ApplicationSettings;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneApplication;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.memory.MemoryLane;
import io.vertx.core.Future;
import io.vertx.core.Vertx;

public class MailApplication implements RunlaneApplication {
  static final Task<String> SEND = Task.define("mails.send", String.class)
      .handler((address, context) -> Future.succeededFuture(TaskResult.done("sent to " + address)));

  @Override
  public Future<Runlane> runtime(Vertx vertx, ApplicationSettings settings) {
    RunlaneOptions options = new RunlaneOptions();
    settings.environment().ifPresent(options::setEnvironment);
    return Future.succeededFuture(Runlane.builder(vertx, MemoryLane.create())
        .queue(TaskQueue.of("default").asDefault())
        .task(SEND)
        .options(options)
        .build());
  }
}
