package com.example.changing;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class InvoiceTest {
  record InvoiceOfMay(String number, String cust, boolean express) {}

  record InvoiceWithList(List<String> number) {}

  private static <P> Task<P> task(Class<P> type) {
    return Task.define("invoices.send", type)
        .handler((invoice, context) -> Future.succeededFuture(TaskResult.done(invoice.toString())));
  }

  /** A run that waits, triggered by the deployment of May. */
  private static TestRun waiting(RunlaneTesting testing) {
    Task<InvoiceOfMay> ofMay = Task.define("invoices.send", InvoiceOfMay.class)
        .handler((invoice, context) ->
            testing.timers().after(Duration.ofDays(1)).map(TaskResult.done()));
    testing.deploy(ofMay);
    TestRun run = testing.trigger(ofMay, new InvoiceOfMay("7", "ada", true));
    testing.kill();
    return run;
  }

  @Test
  void a_renamed_a_removed_and_a_new_field_are_read(RunlaneTesting testing) {
    TestRun run = waiting(testing);

    testing.deploy(task(Invoice.class));
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput(new Invoice("7", "ada", "en").toString());
  }

  @Test
  void what_no_deployment_can_read_waits_for_one_that_can(RunlaneTesting testing) {
    TestRun run = waiting(testing);
    testing.deploy(task(InvoiceWithList.class));
    testing.advance(Duration.ofHours(2));
    assertThat(run.status()).isNotEqualTo(RunStatus.FAILED);
    assertThat(run).wasReleasedBecause("undecodable_payload").afterFailures(0);

    testing.deploy(task(Invoice.class));
    testing.runUntilIdle();

    assertThat(run).succeeded();
  }
}
