package com.example.threads;

import dev.runlane.run.RunRecord;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** No future is seen: each call waits where it stands, on a thread that costs nothing while it does. */
public class Invoices {
  public record Invoice(int number) {}

  static final Step<String> PRINT = Step.of("print", String.class);

  static final Task<Invoice> SEND = Task.define("invoices.send", Invoice.class)
      .retry(RetryPolicy.attempts(5))
      .blockingHandler((invoice, context) -> {
        String file = context.callStep(PRINT, () -> print(invoice)); // once, whatever crashes
        context.await(context.sleep(Duration.ofMillis(200))); // durable: no thread is held
        mail(file);
        return TaskResult.done(file);
      });

  private final Runlane runlane;

  public Invoices(Runlane runlane) {
    this.runlane = runlane;
  }

  public RunRecord send(Invoice invoice) {
    String run = runlane.trigger(SEND, invoice).await().run().id();
    return runlane.awaitRun(run, Duration.ofMinutes(1)).await();
  }

  private static String print(Invoice invoice) throws IOException {
    Path file = Files.createTempFile("invoice-" + invoice.number() + "-", ".pdf");
    Files.delete(file); // a printer that blocks
    return file.getFileName().toString();
  }

  private static void mail(String file) {
    System.out.println("handler on " + Thread.currentThread());
  }
}
