package com.example.growing;

import dev.runlane.lane.Lanes;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.util.ArrayList;
import java.util.List;

/** One process over several databases. */
final class Shards {
  private Shards() {}

  static List<Runlane> runtimes(Vertx vertx, List<PgConnectOptions> databases, Task<String> task) {
    List<Runlane> runtimes = new ArrayList<>();
    for (int shard = 0; shard < databases.size(); shard++) {
      PgStorageAdapter storage = PgStorageAdapter.create(
          vertx, new PgStorageOptions().setConnectOptions(databases.get(shard)));
      runtimes.add(Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
          .queue(TaskQueue.of("default").asDefault())
          .task(task)
          .options(new RunlaneOptions().setEnvironment("shard-" + shard))
          .build());
    }
    return runtimes;
  }
}
