package dev.runlane.conformance.steps;

import static dev.runlane.conformance.kit.Given.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.adapter.Subscription;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.steps.StepListener;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ReleaseStepTasks;
import dev.runlane.steps.task.StepTask;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who stores tasks or results wakes those who look for them. */
@DisplayName("signals of tasks and results")
public abstract class StepSignalConformance extends StepTransportConformance {
  @Test
  @Rule("P70")
  void a_dispatch_signals_its_groups_to_every_transport() {
    Heard here = new Heard("blue");
    Heard there = new Heard("blue");
    listen(here, there);

    dispatch(NOON, step("run_1").in("red"), step("run_2").in("blue"));

    Outcomes.done(here.tasks.future());
    Outcomes.done(there.tasks.future());
  }

  @Test
  @Rule("P70")
  void the_next_attempt_is_signalled_too() {
    List<StepTask> steps = List.of(step("run_1").in("red"), step("run_2").in("blue"));
    steps.forEach(step -> complete(step, NOON));
    List<SettleStepResults.Settlement> settled = steps.stream()
        .map(step -> new SettleStepResults.Settlement(
            claimedResult(NOON, step.stepId()).claim(), step.next()))
        .toList();
    Heard red = new Heard("red");
    Heard blue = new Heard("blue");
    listen(red, blue);

    Outcomes.done(transport.settleStepResults(new SettleStepResults(settled, NOON)));

    Outcomes.done(red.tasks.future());
    Outcomes.done(blue.tasks.future());
  }

  @Test
  @Rule("P70")
  void a_task_that_is_handed_back_is_signalled_too() {
    dispatch(NOON, step("run_1"));
    ClaimedStepTask task = claimedOne(NOON);
    Heard heard = new Heard(GROUP);
    listen(heard, new Heard(GROUP));

    Outcomes.done(transport.releaseStepTasks(new ReleaseStepTasks(List.of(task.claim()))));

    Outcomes.done(heard.tasks.future());
  }

  @Test
  @Rule("P71")
  void a_recorded_result_is_signalled() {
    dispatch(NOON, step("run_1"));
    ClaimedStepTask task = claimedOne(NOON);
    Heard here = new Heard(GROUP);
    Heard there = new Heard(GROUP);
    listen(here, there);

    record(NOON, ended(task, DONE));

    Outcomes.done(here.results.future());
    Outcomes.done(there.results.future());
  }

  @Test
  @Rule("P72")
  void a_closed_subscription_is_not_called_and_others_are() {
    Heard closed = new Heard(GROUP);
    Heard open = new Heard(GROUP);
    List<Subscription> subscriptions = listen(closed, open);
    Outcomes.done(subscriptions.get(0).close());
    Outcomes.done(subscriptions.get(0).close());

    dispatch(NOON, step("run_1"));

    Outcomes.done(open.tasks.future());
    assertThat(closed.calls).hasValue(0);
  }

  @Test
  @Rule("P73")
  void many_groups_are_signalled_although_no_message_could_name_them() {
    List<StepTask> steps = steps(400).stream()
        .map(step -> step.in("g" + "x".repeat(100) + step.runId()))
        .toList();
    Heard heard = new Heard(steps.get(399).group());
    listen(heard, new Heard(GROUP));

    Outcomes.done(transport.dispatchSteps(new DispatchSteps(steps, NOON)));

    Outcomes.done(heard.tasks.future());
    assertThat(Outcomes.done(transport.settleStepResults(new SettleStepResults(List.of(), NOON))))
        .isEmpty();
  }

  private List<Subscription> listen(StepListener here, StepListener there) {
    return List.of(
        Outcomes.done(transport.signals().orElseThrow().listen(here)),
        Outcomes.done(other().signals().orElseThrow().listen(there)));
  }

  private static final class Heard implements StepListener {
    private final String group;
    private final Promise<Void> tasks = Promise.promise();
    private final Promise<Void> results = Promise.promise();
    private final AtomicInteger calls = new AtomicInteger();

    Heard(String group) {
      this.group = group;
    }

    @Override
    public void onTasks(Set<String> groups) {
      calls.incrementAndGet();
      if (groups.isEmpty() || groups.contains(group)) {
        tasks.tryComplete();
      }
    }

    @Override
    public void onResults() {
      calls.incrementAndGet();
      results.tryComplete();
    }

    @Override
    public void onPossibleLoss() {
      calls.incrementAndGet();
    }
  }
}
