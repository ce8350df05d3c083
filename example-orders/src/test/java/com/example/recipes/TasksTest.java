package com.example.recipes;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class TasksTest {
  record Invoice(String number, String customer) {}

  static final TaskDescription<Invoice> SEND = Task.define("invoices.send", Invoice.class)
      .retry(RetryPolicy.attempts(5))
      .attemptTimeout(Duration.ofMinutes(2))
      .tag("customer", Invoice::customer)
      .description();

  private final Task<Invoice> send =
      SEND.handler((invoice, context) -> mail(invoice).map(TaskResult::done));

  private final Task<Invoice> print = Task.define("invoices.print", Invoice.class)
      .blockingHandler((invoice, context) -> TaskResult.done(printed(invoice)));

  record Batch(List<Invoice> invoices) {}

  private final Task<Batch> sendAll = Task.define("invoices.send-all", Batch.class)
      .handler((batch, context) -> mail(batch.invoices().get(0)).map(TaskResult::done));

  private Future<String> mail(Invoice invoice) {
    return Future.succeededFuture("mail for " + invoice.customer());
  }

  private String printed(Invoice invoice) {
    return "page for " + invoice.customer();
  }

  @Test
  void a_task_is_triggered_at_once_or_later(RunlaneTesting testing) {
    testing.deploy(send, print);
    Invoice invoice = new Invoice("7", "ada");

    TestRun now = testing.trigger(send, invoice);
    TestRun later = testing.trigger(
        send,
        invoice,
        new TriggerOptions()
            .setDelay(Duration.ofHours(2)) // or setRunAt(instant)
            .setTags(Map.of("batch", "march")));
    TestRun onPaper = testing.trigger(print, invoice);
    testing.advance(Duration.ofHours(1));

    assertThat(now).succeeded().hasOutput("mail for ada");
    assertThat(later).isWaiting();
    assertThat(onPaper).succeeded().hasOutput("page for ada");
    testing.advance(Duration.ofHours(2));
    assertThat(later).succeeded().endedAt(Instant.parse("2026-01-01T14:00:00Z"));
  }

  @Test
  void a_list_in_a_record_keeps_the_type_of_what_is_in_it(RunlaneTesting testing) {
    testing.deploy(sendAll);

    TestRun run = testing.trigger(sendAll, new Batch(List.of(new Invoice("7", "ada"))));
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput("mail for ada");
  }
}
