package dev.runlane.runtime;

import static dev.runlane.runtime.Fleet.assertFails;
import static dev.runlane.runtime.Fleet.done;
import static dev.runlane.runtime.Fleet.failed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What people find runs by. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class TagsTest {
  private static final Map<String, String> ACME = Map.of("customer", "acme");

  private final Fleet fleet = new Fleet();
  private final Task<String> plain = Task.define("plain", String.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
  private final Task<String> declared = Task.define("declared", String.class)
      .tag("customer", payload -> payload.isEmpty() ? null : payload)
      .tag("kind", payload -> "order")
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
  private final Runlane runlane = fleet.process(plain, declared);

  @Test
  void a_run_is_found_by_the_tags_of_its_trigger() {
    RunRecord run = triggered(plain, "x", ACME);
    done(runlane.trigger(plain, "x"));

    assertThat(done(runlane.runs().tags(run.id()))).isEqualTo(ACME);
    assertThat(found(ACME)).containsExactly(run.id());
    assertThat(found(Map.of("customer", "ace"))).isEmpty();
  }

  @Test
  void a_task_makes_tags_of_its_payloads() {
    RunRecord both = done(runlane.trigger(declared, "acme")).run();
    RunRecord one = done(runlane.trigger(declared, "")).run();

    assertThat(done(runlane.runs().tags(both.id())))
        .isEqualTo(Map.of("customer", "acme", "kind", "order"));
    assertThat(done(runlane.runs().tags(one.id()))).isEqualTo(Map.of("kind", "order"));
  }

  @Test
  void those_of_the_trigger_stand_before_those_of_the_task() {
    RunRecord run = triggered(declared, "acme", Map.of("customer", "ace", "region", "eu"));

    assertThat(done(runlane.runs().tags(run.id())))
        .isEqualTo(Map.of("customer", "ace", "kind", "order", "region", "eu"));
  }

  @Test
  void every_run_of_many_has_its_tags_and_so_has_one_that_runs_at_once() {
    List<TriggerResult> many =
        done(runlane.triggerAll(declared, List.of("acme", "ace"), new TriggerOptions()));
    TriggerResult now = done(runlane.runNow(plain, "x", new TriggerOptions().setTags(ACME)));

    assertThat(found(ACME))
        .containsExactlyInAnyOrder(many.get(0).run().id(), now.run().id());
  }

  @Test
  void a_run_that_repeats_another_has_its_tags() {
    TriggerResult now = done(runlane.runNow(plain, "x", new TriggerOptions().setTags(ACME)));

    TriggerResult again = done(runlane.runs().rerun(now.run().id(), RunActionOptions.by("anna")));

    assertThat(found(ACME))
        .containsExactlyInAnyOrder(now.run().id(), again.run().id());
  }

  @Test
  void a_filter_holds_beside_the_tags() {
    RunRecord run = triggered(plain, "x", ACME);
    triggered(declared, "acme", Map.of());

    assertThat(done(runlane
                .runs()
                .listTagged(ACME, RunFilter.ALL.withTaskIds(List.of("plain")), null, null))
            .data())
        .extracting(RunSummary::id)
        .containsExactly(run.id());
  }

  @Test
  void tags_that_break_their_limits_are_refused_by_name_and_nothing_is_stored() {
    Map<String, String> tooMany = new TreeMap<>();
    for (int i = 0; i < 17; i++) {
      tooMany.put("tag" + i, "x");
    }

    assertThat(refused(plain, "x", tooMany)).hasMessageContaining("at most 16 tags, but 17");
    assertThat(refused(plain, "x", Map.of("a:b", "x"))).hasMessageContaining("name of a tag");
    assertThat(refused(plain, "x", Map.of("long", "x".repeat(257))))
        .hasMessageContaining("value of tag long must have at most 256 bytes");
    assertFails(ErrorCode.VALIDATION_FAILED, runlane.trigger(declared, "x".repeat(257)));
    assertThat(done(runlane.runs().list(RunFilter.ALL)).data()).isEmpty();
  }

  @Test
  void a_task_cannot_declare_tags_that_no_run_can_have() {
    assertThatThrownBy(() -> Task.define("bad", String.class).tag("a:b", payload -> "x"))
        .isInstanceOf(RunlaneException.class)
        .hasMessageContaining("name of a tag of task bad");
    assertThatThrownBy(() ->
            Task.define("bad", String.class).tag("a", payload -> "x").tag("a", payload -> "y"))
        .hasMessageContaining("has tag a twice");
  }

  private Throwable refused(Task<String> task, String payload, Map<String, String> tags) {
    Throwable failure = failed(runlane.trigger(task, payload, new TriggerOptions().setTags(tags)));
    assertThat(((RunlaneException) failure).code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
    return failure;
  }

  private RunRecord triggered(Task<String> task, String payload, Map<String, String> tags) {
    return done(runlane.trigger(task, payload, new TriggerOptions().setTags(tags)))
        .run();
  }

  private List<String> found(Map<String, String> tags) {
    return done(runlane.runs().listTagged(tags, RunFilter.ALL, null, null)).data().stream()
        .map(RunSummary::id)
        .toList();
  }
}
