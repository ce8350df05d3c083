package dev.runlane.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.depth.OutboxDepth;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.queue.ResumedRuns;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.schedule.SchedulePause;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TriggerRules;
import dev.runlane.operator.throughput.Latencies;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Json;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.steps.task.StepTask;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.step.PendingStep;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.webhook.WebhookRequest;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every record of this module: null is refused unless it is meant, and lists are copied. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class RecordsTest {
  private static final StepClaim STEP_CLAIM = new StepClaim("run_1:0", "worker");
  private static final StepTask STEP_TASK = StepTask.first("run_1", 0, "charge", null);
  private static final RunEvent.StepRequested STEP_REQUEST =
      new RunEvent.StepRequested(Samples.header(), "run_1:0", "charge", null, null, 1, null);
  private static final StepResult STEP_RESULT = new StepResult(
      "run_1:0", "run_1", 0, new StepOutcome.Completed(null), Samples.NOON, Samples.NOON);

  private static final JobOptions JOB_OPTIONS = JobOptions.NONE;
  private static final JobChange JOB_CHANGE =
      new JobChange("queue", "job", JobState.FAILED, null, false, false);
  private static final RuntimeProcess PROCESS = new RuntimeProcess(
      "process",
      "host",
      "1.0",
      List.of(),
      List.of(),
      List.of(),
      List.of(),
      1,
      0,
      Duration.ofSeconds(30),
      Samples.NOON);

  @ParameterizedTest
  @MethodSource("records")
  void null_is_accepted_only_where_it_is_meant(Class<? extends Record> type) throws Exception {
    RecordComponent[] components = type.getRecordComponents();
    for (int index = 0; index < components.length; index++) {
      Object[] values = values(components);
      if (components[index].getType().isPrimitive()) {
        continue;
      }
      values[index] = null;
      if (components[index].getAnnotatedType().isAnnotationPresent(Nullable.class)) {
        assertThat(make(type, values)).isNotNull();
      } else {
        assertThatThrownBy(() -> make(type, values))
            .as("%s without %s", type.getSimpleName(), components[index].getName())
            .isInstanceOf(NullPointerException.class);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void collections_are_copies_that_cannot_be_changed(Class<? extends Record> type)
      throws Exception {
    RecordComponent[] components = type.getRecordComponents();
    Record made = make(type, values(components));
    for (RecordComponent component : components) {
      if (component.getType() == List.class) {
        List<?> list = (List<?>) component.getAccessor().invoke(made);
        assertThatThrownBy(list::clear).isInstanceOf(UnsupportedOperationException.class);
      }
    }
  }

  @Test
  void every_record_is_found() {
    assertThat(records().count()).isGreaterThan(75);
  }

  static Stream<Class<?>> records() {
    List<Class<?>> found = new ArrayList<>();
    try {
      URI classes = StorageAdapter.class
          .getProtectionDomain()
          .getCodeSource()
          .getLocation()
          .toURI();
      try (Stream<Path> files = Files.walk(Path.of(classes))) {
        for (Path file : files
            .filter(each -> each.toString().endsWith(".class"))
            .filter(each -> !each.endsWith("module-info.class"))
            .toList()) {
          String name = Path.of(classes).relativize(file).toString().replace('/', '.');
          Class<?> type = Class.forName(name.substring(0, name.length() - ".class".length()));
          if (type.isRecord()) {
            found.add(type);
          }
        }
      }
    } catch (Exception broken) {
      throw new AssertionError(broken);
    }
    return found.stream();
  }

  private static Object[] values(RecordComponent[] components) {
    return Arrays.stream(components)
        .map(each -> each.getDeclaringRecord() == Latencies.class && each.getType() == List.class
            ? new ArrayList<>(Latencies.NONE.counts())
            : value(each.getType()))
        .toArray();
  }

  private static Object value(Class<?> type) {
    if (type == long.class) {
      return 4L;
    }
    if (type == int.class || type == Integer.class) {
      return 4;
    }
    if (type == double.class) {
      return 4.5;
    }
    if (type == boolean.class) {
      return true;
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    if (type == List.class) {
      return new ArrayList<>();
    }
    return known(type);
  }

  private static Object known(Class<?> type) {
    List<Object> samples = List.of(
        "text",
        Samples.NOON,
        Duration.ofSeconds(1),
        Samples.PRODUCTION,
        Samples.running(),
        QueuePolicy.unbounded("queue"),
        Samples.FAILURE,
        Samples.reserved(),
        Samples.LEASE,
        new RunEvent.LeaseHeartbeat(Samples.header(), Samples.LEASE),
        Samples.queued().counters(),
        Samples.FILTER,
        RunSort.NEWEST_FIRST,
        RunEventSort.HISTORY,
        RunEventFilter.ofRun("run_1"),
        new DeliveryMessage(Samples.PRODUCTION, "run_1", "queue", Instant.EPOCH, null),
        RunlaneException.of(ErrorCode.INTERNAL_ERROR, "sample"),
        Json.ofChecked("{}"),
        true,
        STEP_CLAIM,
        STEP_TASK,
        STEP_RESULT,
        STEP_REQUEST,
        new PendingStep(STEP_REQUEST, 1, Samples.NOON, null, null, false),
        new StepResultRef("run_1:0", "run_1", Samples.NOON),
        STEP_RESULT.outcome(),
        StepError.of(null, "no"),
        Set.of(),
        Map.of(),
        4.5,
        4L,
        JOB_OPTIONS,
        JobBackoff.fixed(Duration.ofSeconds(1)),
        JobRepeat.every(Duration.ofSeconds(1)),
        JobDeduplication.byKey("key"),
        JobRemoval.atOnce(),
        JobGroup.of("group"),
        new RateLimit(1, Duration.ofSeconds(1)),
        new DeadLetter("queue", "job", "reason", Samples.NOON, JOB_OPTIONS),
        new JobLock("queue", "job", "token"),
        new JobRef("queue", "job"),
        new SavedJob("job", SavedJob.Outcome.STORED, JobState.WAITING),
        JobUpdate.NONE,
        FetchOptions.ANY,
        FetchJobs.one("queue", "worker", Duration.ofSeconds(1), Samples.NOON),
        NewJob.of("name", Json.ofChecked("{}"), JOB_OPTIONS, Samples.NOON),
        new JobOutcome.Cancelled(),
        JOB_CHANGE,
        new FinishedJob(JOB_CHANGE, List.of(), null, null),
        Samples.header().actor(),
        PROCESS,
        new OutboxDepth(1, 2, 3, 4, null),
        ActionFilter.ALL,
        Latencies.NONE,
        new Alert("alert", "rule", "subject", "text", Samples.NOON, Samples.NOON, null, 0),
        new ResumedRuns("queue", List.of(), true),
        new RuntimeTask("task", "queue", true, "type", null, List.of()),
        new TriggerRules(IdempotencyTtl.ACTIVE, true, List.of("tag")),
        IdempotencyTtl.ACTIVE,
        new ScheduleName("task", "schedule"),
        new SchedulePause(Samples.header().actor(), null, Samples.NOON),
        URI.create("https://example.test/hook"),
        new WebhookRequest(URI.create("https://example.test"), "delivery", "1", "v1=0", "{}"));
    return samples.stream().filter(type::isInstance).findFirst().orElseThrow();
  }

  private static Record make(Class<?> type, Object[] values) throws Exception {
    Class<?>[] types = Arrays.stream(type.getRecordComponents())
        .map(RecordComponent::getType)
        .toArray(Class<?>[]::new);
    Constructor<?> constructor = type.getDeclaredConstructor(types);
    constructor.setAccessible(true);
    try {
      return (Record) constructor.newInstance(values);
    } catch (InvocationTargetException thrown) {
      throw (RuntimeException) thrown.getCause();
    }
  }
}
