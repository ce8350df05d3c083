package com.example.threads;

import dev.runlane.run.RunRecord;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.memory.MemoryLane;
import io.vertx.core.Vertx;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Started by a test, on the newest Java there is. */
public final class InvoicesProgram {
  private InvoicesProgram() {}

  /** Sends an invoice from a virtual thread. */
  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    Runlane runlane = Runlane.builder(vertx, MemoryLane.create())
        .queue(TaskQueue.of("default").asDefault())
        .task(Invoices.SEND)
        .build();
    runlane.deploy(vertx, new RunlaneDeployment()).await();
    ExecutorService threads = (ExecutorService)
        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    Callable<RunRecord> send = () -> {
      System.out.println("caller on " + Thread.currentThread());
      return new Invoices(runlane).send(new Invoices.Invoice(7));
    };
    RunRecord run = threads.submit(send).get();
    System.out.println(run.status() + " after " + run.counters().attempts() + " attempts");
    threads.shutdown();
    runlane.close().await();
    vertx.close().await();
  }
}
