package dev.runlane.cli.operator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.ActionOptions;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.JsonInput;
import dev.runlane.cli.option.TagOptions;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.runtime.operate.MadeByCode;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code runlane trigger}. */
@Command(
    name = "trigger",
    header = "Creates a run of a task.",
    description = {
      "The task's code makes keys and tags only in the application. So what processes say of the task counts: its queue"
          + " unless one is given, the schema of its payloads, how long it keeps an idempotency key and whether it"
          + " refuses another payload under one, and where its code makes a key or a tag that is not given, nothing is"
          + " created."
          + " Of a task that no process tells of, its newest run says queue and keys; over --url no run of it can be"
          + " created."
    },
    exitCodeList = {
      "0:the run exists; with --watch: it succeeded",
      "1:it could not be created; with --watch: it failed",
      "2:the command line cannot be used",
      "3:with --watch: it was cancelled",
      "4:over --url, no process tells of the task; with --watch: the run is there no more",
      "5:the database, or the API, cannot be reached",
      "130:Ctrl-C"
    },
    footer = {
      "Examples:",
      "  runlane trigger charge --payload '{\"order\": \"A-1023\"}' --key A-1023",
      "  runlane trigger charge --payload '{\"order\": \"A-1023\"}' --key A-1023 --idempotency-ttl active",
      "  runlane trigger report --payload @report.json --delay 10m"
    })
final class TriggerCommand extends OperatorCommand {
  private static final String TRIGGER = "task.trigger";

  @Parameters(paramLabel = "TASK", description = "The id of the task.")
  private String taskId = "";

  @Option(
      names = {"-p", "--payload"},
      required = true,
      paramLabel = "JSON|@FILE",
      description = "The payload, or the file that holds it.")
  private String payload = "";

  @Option(
      names = {"-q", "--queue"},
      paramLabel = "QUEUE",
      description = "The queue. Default: the task's.")
  private @Nullable String queue;

  @Option(names = "--key", paramLabel = "KEY", description = "The idempotency key.")
  private @Nullable String key;

  @Option(
      names = "--idempotency-ttl",
      paramLabel = "TIME|active",
      description =
          "How long --key is kept, such as 12h, or active: until the run has ended. Default: as the task"
              + " says.")
  private @Nullable String idempotencyTtl;

  @Option(names = "--singleton-key", paramLabel = "KEY", description = "The singleton key.")
  private @Nullable String singletonKey;

  @Option(names = "--concurrency-key", paramLabel = "KEY", description = "The concurrency key.")
  private @Nullable String concurrencyKey;

  @Option(
      names = "--without-keys",
      description = "Creates the run though the task's code makes a key that is not given.")
  private boolean withoutKeys;

  @Option(
      names = "--without-tags",
      description =
          "Creates the run though the task's code makes a tag that is not given: nobody finds it by that.")
  private boolean withoutTags;

  @Option(names = "--delay", paramLabel = "TIME", description = "Not before that, such as 10m.")
  private @Nullable String delay;

  @Option(
      names = "--at",
      paramLabel = "INSTANT",
      description = "Not before that, such as 2026-11-23T10:00:00Z.")
  private @Nullable String at;

  @Option(names = "--run-id", paramLabel = "ID", description = "The id of the run.")
  private @Nullable String runId;

  @Mixin
  private TagOptions tags = new TagOptions();

  @Option(names = "--watch", description = "Follows the run until it has ended.")
  private boolean watch;

  @Mixin
  private ActionOptions action = new ActionOptions();

  TriggerCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    String text = JsonInput.orAtFile("--payload", payload);
    TriggerOptions options = options();
    RunActionOptions who = action.options(console().variables());
    return operations -> {
      Optional<RuntimeTask> known = console().await(operations.task(taskId));
      if (known.isPresent()) {
        complete(options, known.get());
      } else {
        complete(options, newest(operations));
      }
      TriggerResult result = made(
          TRIGGER,
          () -> operations.recorded(
              new Operations.Action(TRIGGER, taskId),
              who,
              () -> operations.trigger(taskId, text, options, leftOut(), who),
              made -> made.outcome().value() + " " + made.run().id()));
      print(result, operations.mayBeMasked());
      return watch
          ? new RunsWatchCommand.Followed(operations, console(), result.run().id(), isJson(), false)
              .untilEnd(null)
          : OperatorExit.DONE;
    };
  }

  private Set<MadeByCode> leftOut() {
    Set<MadeByCode> leftOut = EnumSet.noneOf(MadeByCode.class);
    if (withoutKeys) {
      leftOut.add(MadeByCode.KEYS);
    }
    if (withoutTags) {
      leftOut.add(MadeByCode.TAGS);
    }
    return leftOut;
  }

  private TriggerOptions options() {
    TriggerOptions options = new TriggerOptions();
    options.setActor(action.actor(console().variables()));
    action.options(console().variables()).getMeta().ifPresent(options::setMeta);
    if (!tags.tags().isEmpty()) {
      options.setTags(tags.tags());
    }
    Optional.ofNullable(key).ifPresent(options::setIdempotencyKey);
    if (idempotencyTtl != null) {
      options.setIdempotencyTtl(ttl(idempotencyTtl));
    }
    Optional.ofNullable(singletonKey).ifPresent(options::setSingletonKey);
    Optional.ofNullable(concurrencyKey).ifPresent(options::setConcurrencyKey);
    Optional.ofNullable(runId).ifPresent(options::setRunId);
    if (delay != null) {
      options.setDelay(TimeText.duration("--delay", delay));
    }
    if (at != null) {
      options.setRunAt(TimeText.instant("--at", at));
    }
    return options;
  }

  private IdempotencyTtl ttl(String text) {
    if (key == null) {
      throw new UsageException("--idempotency-ttl says how long --key is kept: give --key");
    }
    return text.equals("active")
        ? IdempotencyTtl.ACTIVE
        : IdempotencyTtl.of(TimeText.positive("--idempotency-ttl", text));
  }

  private void complete(TriggerOptions options, RuntimeTask known) {
    Optional.ofNullable(queue).map(TaskQueue::of).ifPresent(options::setQueue);
    StringJoiner missing = new StringJoiner(", ");
    StringJoiner switches = new StringJoiner(" ");
    StringJoiner made = new StringJoiner(" and ");
    List<String> keys = known.keys().stream()
        .filter(key -> given(key) == null)
        .map(TriggerCommand::option)
        .toList();
    if (!withoutKeys && !keys.isEmpty()) {
      made.add("keys");
      keys.forEach(missing::add);
      switches.add("--without-keys");
    }
    List<String> names = known.rules().tags().stream()
        .filter(name -> !options.getTags().containsKey(name))
        .toList();
    if (!withoutTags && !names.isEmpty()) {
      made.add("tags");
      names.forEach(name -> missing.add("--tag " + name + ":VALUE"));
      switches.add("--without-tags");
    }
    if (missing.length() > 0) {
      throw new UsageException("the code of task " + taskId + " makes " + made + ": give " + missing
          + ", or " + switches);
    }
  }

  private @Nullable String given(TaskKey kind) {
    return switch (kind) {
      case IDEMPOTENCY -> key;
      case SINGLETON -> singletonKey;
      case CONCURRENCY -> concurrencyKey;
    };
  }

  private static String option(TaskKey kind) {
    return switch (kind) {
      case IDEMPOTENCY -> "--key";
      case SINGLETON -> "--singleton-key";
      case CONCURRENCY -> "--concurrency-key";
    };
  }

  private Optional<RunSummary> newest(Operations operations) {
    return console()
        .await(operations.listRuns(RunFilter.ALL.withTaskIds(List.of(taskId)), 1, null))
        .data()
        .stream()
        .findFirst();
  }

  private void complete(TriggerOptions options, Optional<RunSummary> newest) {
    String chosen = Optional.ofNullable(queue)
        .or(() -> newest.map(RunSummary::queue))
        .orElseThrow(() -> new UsageException(
            "task " + taskId + " has no run yet that would tell its queue: give --queue"));
    options.setQueue(TaskQueue.of(chosen));
    if (!withoutKeys) {
      newest.ifPresent(this::requireKeys);
    }
  }

  private void requireKeys(RunSummary newest) {
    StringJoiner missing = new StringJoiner(", ");
    if (newest.idempotencyKey() != null && key == null) {
      missing.add("--key");
    }
    if (newest.singletonKey() != null && singletonKey == null) {
      missing.add("--singleton-key");
    }
    if (newest.concurrencyKey() != null && concurrencyKey == null) {
      missing.add("--concurrency-key");
    }
    if (missing.length() > 0) {
      throw new UsageException("run " + newest.id() + ", the newest of task " + taskId
          + ", has keys: give " + missing + ", or --without-keys");
    }
  }

  private void print(TriggerResult result, boolean mayBeMasked) {
    if (isJson()) {
      ObjectNode answer = JsonAnswers.object().put("outcome", result.outcome().value());
      answer.put("samePayload", result.samePayload()).set("run", JsonAnswers.run(result.run()));
      console().out().println(answer);
      return;
    }
    console()
        .out()
        .println(
            result.outcome() == TriggerOutcome.CREATED
                ? "Run " + result.run().id() + " is " + result.run().status().value()
                : "Run " + result.run().id() + " has the key already ("
                    + result.outcome().value() + ") and is "
                    + result.run().status().value()
                    + (result.samePayload()
                        ? ""
                        : "; its payload is another" + (mayBeMasked ? " or masked" : "")));
  }
}
