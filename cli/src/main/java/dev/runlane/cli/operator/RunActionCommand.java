package dev.runlane.cli.operator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.ActionOptions;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.TagOptions;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Progress;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Does one thing to runs: to those that are named, or to all that fit a filter. */
@Command(
    exitCodeList = {
      "0:done, to each run that could take it",
      "1:it could not be done to a run; a line for each says why, with its code",
      "2:the command line cannot be used",
      "4:there is no such run",
      "5:the database, or the API, cannot be reached",
      "130:Ctrl-C; what was done stays done, and a line says how to go on"
    })
abstract class RunActionCommand extends OperatorCommand {
  private static final int AT_ONCE = 8;
  private static final int MOST_TOLD = 10;

  @Parameters(paramLabel = "RUN", arity = "0..*", description = "The ids of runs; or a filter.")
  private List<String> runIds = List.of();

  @Mixin
  private RunFilterOptions filter = new RunFilterOptions();

  @Mixin
  private TagOptions tags = new TagOptions();

  @Option(
      names = "--error-code",
      paramLabel = "CODE",
      description =
          "The code of the last failure, such as task_failed. Each run of the rest of the filter is looked at.")
  private @Nullable String errorCode;

  @Mixin
  private ActionOptions action = new ActionOptions();

  @Option(names = "--dry-run", description = "With a filter: counts what it would be done to.")
  private boolean dryRun;

  @Option(names = "--yes", description = "With a filter: does it to all that fit.")
  private boolean yes;

  private final Set<RunStatus> possible;
  private final String done;

  /**
   * @param possible the statuses of runs that can take it
   * @param done what became of a run then, such as {@code cancelled}
   */
  RunActionCommand(OperatorConsole console, Set<RunStatus> possible, String done) {
    super(console);
    this.possible = possible;
    this.done = done;
  }

  /** Whether it is done anew to a run that it was done to before. */
  boolean repeats() {
    return false;
  }

  /** What is done, as the log of actions has it, such as {@code cancel}. */
  abstract String verb();

  /** Checks options of its own. Throws {@link UsageException}. */
  void check(boolean isByFilter) {}

  /** Does it. */
  abstract Future<Acted> act(Operations operations, String runId, RunActionOptions options);

  /**
   * What was done to a run.
   *
   * @param answer what to tell
   * @param made the run that was made of it by this very call, if any
   */
  record Acted(ObjectNode answer, @Nullable RunSummary made) {
    /** Of a retry or a rerun. */
    static Acted again(String runId, TriggerResult result) {
      boolean isNew = result.outcome() != TriggerOutcome.IDEMPOTENT_EXISTING;
      ObjectNode answer = JsonAnswers.object()
          .put("runId", runId)
          .put("newRunId", result.run().id())
          .put("outcome", result.outcome().value())
          .put("status", result.run().status().value());
      return new Acted(answer, isNew ? RunSummary.of(result.run()) : null);
    }
  }

  @Override
  protected final Work work() {
    RunActionOptions options = action.options(console().variables());
    check(runIds.isEmpty());
    Map<String, String> tagged = tags.tags();
    boolean isUnfiltered = filter.isEmpty() && tagged.isEmpty() && errorCode == null;
    if (!runIds.isEmpty()) {
      if (!isUnfiltered || dryRun) {
        throw new UsageException("give ids of runs or a filter, not both");
      }
      return operations -> named(operations, options);
    }
    if (isUnfiltered) {
      throw new UsageException("give ids of runs, or a filter such as --task or --since");
    }
    if (dryRun == yes) {
      throw new UsageException(
          "with a filter, --dry-run counts the runs that it would be done to, and --yes does it");
    }
    Instant now = console().clock().now();
    RunFilter given = filter.filter(now);
    MeantRuns fitting = new MeantRuns(
        given
            .withStatuses(statuses(given))
            .withCreated(given.createdFrom(), notAfter(now, given.createdBefore())),
        tagged,
        code());
    return operations -> {
      if (fitting.errorCode() == ErrorCode.INTERNAL_ERROR && operations.mayBeMasked()) {
        throw new UsageException(
            "--error-code: over --url " + errorCode + " is also what a hidden code reads as");
      }
      Map<String, Long> counts = count(operations, fitting);
      return dryRun
          ? told(counts)
          : new OneAction(console(), operations)
              .of(
                  new Operations.Action("runs.bulk_" + verb(), fitting.toString()),
                  options,
                  told -> all(operations, fitting, counts, options, told));
    };
  }

  /** Runs that are made from now on are none of it, those too that it makes. */
  private static Instant notAfter(Instant now, @Nullable Instant until) {
    return until == null || until.isAfter(now) ? now : until;
  }

  private Set<RunStatus> statuses(RunFilter given) {
    Set<RunStatus> statuses = EnumSet.copyOf(possible);
    if (!given.statuses().isEmpty()) {
      statuses.retainAll(given.statuses());
    }
    if (statuses.isEmpty()) {
      throw new UsageException("--status: no such run can be " + done);
    }
    return statuses;
  }

  private @Nullable ErrorCode code() {
    return errorCode == null
        ? null
        : ErrorCode.ofValue(errorCode)
            .orElseThrow(() -> new UsageException("--error-code: there is no " + errorCode));
  }

  private OperatorExit named(Operations operations, RunActionOptions options) {
    boolean refused = false;
    for (int place = 0; place < runIds.size(); place++) {
      String runId = runIds.get(place);
      try {
        console().requireWritten();
        ObjectNode answer = console()
            .await(operations.recorded(
                new Operations.Action("run." + verb(), runId),
                options,
                () -> act(operations, runId, options).map(Acted::answer),
                RunActionCommand::result));
        console().out().println(isJson() ? answer.toString() : text(runId, answer));
      } catch (OperatorConsole.Interrupted interrupted) {
        leave(place, unknown());
        throw interrupted;
      } catch (RunlaneException failure) {
        if (runIds.size() == 1) {
          throw failure;
        }
        if (isOfAll(failure)) {
          leave(place, fate(failure));
          throw failure;
        }
        refused =
            true; // the others are done all the same: who repeats the command would do these twice
        console().err().println(line(runId, String.valueOf(failure.getMessage())));
      }
    }
    return refused ? OperatorExit.FAILED : OperatorExit.DONE;
  }

  /** What the log of actions keeps, as of the same over HTTP. */
  private static String result(ObjectNode answer) {
    return answer.has("newRunId")
        ? answer.path("outcome").asText() + " " + answer.path("newRunId").asText()
        : answer.path("status").asText();
  }

  /** Says what is known of the run that ended it, and which were not tried. */
  private void leave(int place, String fate) {
    console().err().println(line(runIds.get(place), fate));
    List<String> left = runIds.subList(place + 1, runIds.size());
    if (!left.isEmpty()) {
      console().err().println("runlane: not tried: " + PlainText.oneLine(String.join(" ", left)));
    }
  }

  private static String line(String runId, String text) {
    return "runlane: run " + PlainText.oneLine(runId + ": " + text);
  }

  private String unknown() {
    return "not known whether it was " + done;
  }

  private String fate(RunlaneException failure) {
    return isUnknown(failure) ? unknown() : String.valueOf(failure.getMessage());
  }

  private String text(String runId, ObjectNode answer) {
    String created = answer.path("newRunId").asText("");
    String status = answer.path("status").asText("");
    return "Run " + runId + (created.isEmpty() ? "" : " is made again as " + created)
        + (created.isEmpty() ? " is " + status : "")
        + (answer.path("outcome").asText("created").equals("created")
            ? ""
            : " (" + answer.path("outcome").asText() + ")");
  }

  /** By task and status. */
  private Map<String, Long> count(Operations operations, MeantRuns fitting) {
    Map<String, Long> counts = new TreeMap<>();
    long sofar = 0;
    try (Progress progress =
        new Progress(console().err(), console().terminal(), "runs counted", 0)) {
      String cursor = null;
      do {
        Page<RunSummary> page = console().await(fitting.page(operations, cursor));
        for (RunSummary run : page.data()) {
          counts.merge(PlainText.oneLine(run.taskId()) + " " + run.status().value(), 1L, Long::sum);
        }
        sofar += page.data().size();
        progress.done(sofar);
        cursor = page.nextCursor();
      } while (cursor != null);
    }
    return counts;
  }

  private static long total(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  private OperatorExit told(Map<String, Long> counts) {
    if (isJson()) {
      ObjectNode answer = JsonAnswers.object().put("matched", total(counts));
      counts.forEach(answer.putObject("byTaskAndStatus")::put);
      console().out().println(answer);
    } else {
      counts.forEach((which, count) -> console().out().println("  " + count + "  " + which));
      console()
          .out()
          .println(total(counts) + " would be " + done + ". Nothing was done: --yes does it.");
    }
    return OperatorExit.DONE;
  }

  private OperatorExit all(
      Operations operations,
      MeantRuns fitting,
      Map<String, Long> counts,
      RunActionOptions options,
      Promise<String> told) {
    Progress progress = new Progress(console().err(), console().terminal(), "runs", total(counts));
    Tally tally = new Tally(progress, fitting.filter());
    try (progress) {
      String cursor = null;
      do {
        Page<RunSummary> page = console().await(fitting.page(operations, cursor));
        List<RunSummary> runs = tally.withoutOwn(page.data());
        for (int from = 0; from < runs.size(); from += AT_ONCE) {
          some(
              operations,
              runs.subList(from, Math.min(from + AT_ONCE, runs.size())),
              options,
              tally);
          progress.done(tally.looked());
          console().requireNotInterrupted();
        }
        cursor = page.nextCursor();
      } while (cursor != null);
    } catch (OperatorConsole.Interrupted | RunlaneException ended) {
      end(tally);
      console().err().println("runlane: " + goesOn(fitting.filter().createdFrom(), tally));
      told.fail(ended.getMessage() + "; " + tally + " before that");
      throw ended;
    }
    told.complete(tally.toString());
    return end(tally);
  }

  /** All of them are waited for, so that an interruption finds nothing half done. */
  private void some(
      Operations operations, List<RunSummary> some, RunActionOptions options, Tally tally) {
    tally.begin(some);
    List<Future<Void>> all = some.stream()
        .map(run -> act(operations, run.id(), options).<Void>transform((acted, failure) -> {
          tally.count(run, acted, failure);
          return Future.succeededFuture();
        }))
        .toList();
    try {
      console().finish(Future.join(all).mapEmpty());
    } catch (RunlaneException late) {
      tally.leave(late);
    }
    if (tally.ended != null) {
      throw tally.ended;
    }
  }

  /**
   * The runs that were not looked at: a time that was given as an age would be another one in the next command. Of
   * those made in the same instant as the last that was looked at some may be left.
   */
  private String goesOn(@Nullable Instant from, Tally tally) {
    Instant last = tally.latest;
    Instant since = last == null ? from : repeats() ? last.plus(1, ChronoUnit.MICROS) : last;
    return "the same command with " + (since == null ? "" : "--since " + since + " ") + "--until "
        + tally.before + " goes on with what is left"
        + (tally.isNamed ? ", behind the runs named above" : "")
        + (last != null && repeats() ? "; give others of that very instant by their ids" : "");
  }

  private OperatorExit end(Tally tally) {
    if (isJson()) {
      console()
          .out()
          .println(JsonAnswers.object()
              .put(done, tally.done)
              .put("passedOver", tally.passedOver)
              .put("failed", tally.failed));
    } else {
      console().out().println(tally);
    }
    return tally.failed == 0 ? OperatorExit.DONE : OperatorExit.FAILED;
  }

  /** Whether the new run is one that the same action made before. */
  private static boolean isOfBefore(ObjectNode answer) {
    return answer.path("outcome").asText().equals(TriggerOutcome.IDEMPOTENT_EXISTING.value());
  }

  /** What became of the runs of a filter. Touched by the event loop while this thread waits for it. */
  private final class Tally {
    private final Progress progress;
    private long done;
    private long passedOver;
    private long failed;
    private final Map<String, RunSummary> open = new LinkedHashMap<>(); // no answer yet
    private @Nullable Instant latest; // creation of what was looked at
    private @Nullable RunlaneException ended; // by what is of all runs
    private boolean isNamed; // what is not known of a run has been told

    /** Runs that it made which the filter takes all the same: this clock is ahead of the one that stamps runs. */
    private final Set<String> own = new HashSet<>();

    private final Instant bound; // of the filter
    private Instant before; // the same without what it made

    Tally(Progress progress, RunFilter filter) {
      this.progress = progress;
      bound = Objects.requireNonNull(filter.createdBefore());
      before = bound;
    }

    private void leaveOut(RunSummary made) {
      if (made.createdAt().isBefore(bound)) {
        own.add(made.id());
        before = notAfter(made.createdAt(), before);
      }
    }

    synchronized List<RunSummary> withoutOwn(List<RunSummary> runs) {
      return runs.stream().filter(run -> !own.contains(run.id())).toList();
    }

    long looked() {
      return done + passedOver + failed;
    }

    @Override
    public String toString() {
      return done + " " + RunActionCommand.this.done
          + (passedOver == 0
              ? ""
              : ", " + passedOver + " passed over: they had changed, or it was done before")
          + (failed == 0 ? "" : ", " + failed + " failed");
    }

    synchronized void begin(List<RunSummary> some) {
      some.forEach(run -> open.put(run.id(), run));
    }

    /** What has not been answered is not waited for any more. */
    synchronized void leave(RunlaneException late) {
      List.copyOf(open.values()).forEach(run -> count(run, null, late));
      ended = late;
    }

    synchronized void count(RunSummary run, @Nullable Acted acted, @Nullable Throwable failure) {
      if (open.remove(run.id()) == null) {
        return; // it was left
      }
      if (acted != null && acted.made() != null) {
        leaveOut(acted.made());
      }
      latest = latest == null || run.createdAt().isAfter(latest) ? run.createdAt() : latest;
      if (acted != null && isOfBefore(acted.answer())) {
        passedOver++;
      } else if (failure == null) {
        done++;
      } else if (failure instanceof RunlaneException ending && isOfAll(ending)) {
        ended = ending;
        isNamed = true;
        progress.tell(line(run.id(), fate(ending)));
      } else if (failure instanceof RunlaneException refused
          && (refused.code() == ErrorCode.VALIDATION_FAILED
              || refused.code() == ErrorCode.RUN_NOT_FOUND)) {
        passedOver++;
      } else if (++failed <= MOST_TOLD) {
        progress.tell(line(run.id(), String.valueOf(failure.getMessage())));
      }
    }
  }
}
