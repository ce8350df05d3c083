package com.example.orders;

import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import java.time.Duration;

/** Has an invoice rendered by a worker in another language, and waits for that without holding anything. */
public final class Invoices {
  private static final RemoteStep<Document> RENDER = RemoteStep.of("render-pdf", Document.class)
      .partition("eu")
      .retry(RetryPolicy.attempts(3))
      .deadline(Duration.ofHours(6));

  private final Task<Invoice> task = Task.define("invoices.send", Invoice.class)
      .handler((invoice, context) ->
          context.remote(RENDER, invoice).map(document -> TaskResult.done(document.url())));

  public Task<Invoice> task() {
    return task;
  }

  /** The payload of a run, and the input of its step. */
  public record Invoice(String number) {}

  /** What the worker answers, as JSON. */
  public record Document(String url) {}
}
