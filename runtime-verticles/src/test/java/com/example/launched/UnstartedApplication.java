package com.example.launched;

import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneCapabilities;
import dev.runlane.runtime.ApplicationSettings;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneApplication;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.atomic.AtomicInteger;

/** Its lane never starts, and counts how often it is closed. */
public class UnstartedApplication implements RunlaneApplication {
  public static final AtomicInteger CLOSED = new AtomicInteger();

  @Override
  public Future<Runlane> runtime(Vertx vertx, ApplicationSettings settings) {
    return Future.succeededFuture(Runlane.builder(vertx, new Unstarted(MemoryLane.create()))
        .queue(TaskQueue.of("default").asDefault())
        .build());
  }

  private record Unstarted(Lane lane) implements Lane {
    @Override
    public String name() {
      return lane.name();
    }

    @Override
    public LaneCapabilities capabilities() {
      return lane.capabilities();
    }

    @Override
    public StorageAdapter storage() {
      return lane.storage();
    }

    @Override
    public TransportAdapter transport() {
      return lane.transport();
    }

    @Override
    public Future<Void> start() {
      return Future.failedFuture(new IllegalStateException("the lane does not start"));
    }

    @Override
    public Future<Void> close() {
      CLOSED.incrementAndGet();
      return lane.close();
    }
  }
}
