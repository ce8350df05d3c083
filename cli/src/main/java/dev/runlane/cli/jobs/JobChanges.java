package dev.runlane.cli.jobs;

import dev.runlane.cli.command.ActionOptions;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.JobOperations;
import dev.runlane.cli.option.Consent;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.client.JobsClient.Found;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that change jobs. What was begun is waited for, also after Ctrl-C. */
final class JobChanges {
  private JobChanges() {}

  private static SearchJobsFilter in(String queue, JobState state) {
    return new SearchJobsFilter(queue, List.of(state), null, null, null);
  }

  /** Does something to jobs that are named, one after the other. */
  abstract static class Named extends JobCommand {
    @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.")
    private String queue = "";

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "JOB", description = "Their ids.")
    private List<String> ids = List.of();

    private final String done;

    Named(OperatorConsole console, String done) {
      super(console);
      this.done = done;
    }

    @Mixin
    private ActionOptions action = new ActionOptions();

    /** Does it to one. */
    abstract Future<Void> change(JobOperations jobs, String queue, String jobId);

    @Override
    final ActionOptions action() {
      return action;
    }

    /** Whether it is to be done to all that it can be done to, instead of those named. */
    boolean isForAll() {
      return false;
    }

    /** Does it to all; answers to how many. */
    Future<Integer> changeAll(JobOperations jobs, String queue) {
      throw new UnsupportedOperationException(queue);
    }

    /** Throws {@link UsageException}. */
    void check() {}

    /** How many it would be done to, where nothing is to be done; else empty. */
    Optional<Future<Long>> counted(JobOperations jobs, String queue) {
      return Optional.empty();
    }

    @Override
    final Work work() {
      if (isForAll() != ids.isEmpty()) {
        throw new UsageException(
            "name a queue and ids of jobs, or a queue and what stands for all");
      }
      check();
      return jobs -> {
        Optional<Future<Long>> counted = counted(jobs, queue);
        if (counted.isPresent()) {
          return tellCounted(queue, console().await(counted.get()), done);
        }
        return isForAll() ? all(jobs) : named(jobs);
      };
    }

    /** It takes as long as there are jobs: each part of them is bounded by itself. */
    private OperatorExit all(JobOperations jobs) {
      try {
        tell(queue, console().finishEnd(changeAll(jobs, queue)), done);
        return OperatorExit.DONE;
      } catch (RunlaneException failure) {
        if (isOfAll(failure)) {
          console()
              .err()
              .println("runlane: jobs that were " + done
                  + " before that stay so; the same command goes on with the others");
        }
        throw failure;
      }
    }

    /** One that is refused keeps no other from its turn: who repeats the command would be refused for those. */
    private OperatorExit named(JobOperations jobs) {
      int count = 0;
      for (int at = 0; at < ids.size(); at++) {
        String id = ids.get(at);
        try {
          console().requireNotInterrupted();
          console().finish(change(jobs, queue, id));
          count++;
        } catch (OperatorConsole.Interrupted interrupted) {
          leave(count, ids.subList(at, ids.size()));
          throw interrupted;
        } catch (RunlaneException failure) {
          if (ids.size() == 1) {
            throw failure;
          }
          String fate = isUnknown(failure)
              ? "not known whether it was " + done
              : String.valueOf(failure.getMessage());
          console().err().println("runlane: job " + PlainText.oneLine(id + ": " + fate));
          if (isOfAll(failure)) {
            leave(count, ids.subList(at + 1, ids.size()));
            throw failure;
          }
        }
      }
      tell(queue, count, done);
      return count == ids.size() ? OperatorExit.DONE : OperatorExit.FAILED;
    }

    private void leave(int count, List<String> left) {
      tell(queue, count, done);
      if (!left.isEmpty()) {
        console().err().println("runlane: not tried: " + PlainText.oneLine(String.join(" ", left)));
      }
    }
  }

  /** {@code runlane jobs retry}. */
  @Command(
      name = "retry",
      header = "Lets jobs wait again that have ended.",
      footer = {
        "Examples:",
        "  runlane jobs retry mails --failed --name welcome --since 2h --dry-run",
        "  runlane jobs retry mails --failed --name welcome --since 2h --yes"
      })
  static final class Retry extends Named {
    @Option(
        names = "--failed",
        description =
            "All that failed and fit, as if they were new; without those that were cancelled."
                + " With --dry-run or --yes.")
    private boolean failed;

    @Mixin
    private JobFilterOptions which = new JobFilterOptions();

    @Option(names = "--group", paramLabel = "GROUP", description = "Their group.")
    private @Nullable String group;

    @Option(names = "--cancelled", description = "With --failed: those that were cancelled too.")
    private boolean cancelled;

    @Mixin
    private Consent consent = new Consent();

    Retry(OperatorConsole console) {
      super(console, "retried");
    }

    @Override
    Future<Void> change(JobOperations jobs, String queue, String jobId) {
      return jobs.retry(queue, jobId);
    }

    @Override
    boolean isForAll() {
      return failed;
    }

    @Override
    Future<Integer> changeAll(JobOperations jobs, String queue) {
      return jobs.retryFailed(queue, filter());
    }

    @Override
    void check() {
      if (!failed && !(which.isEmpty() && group == null && !cancelled && !consent.isDryRun())) {
        throw new UsageException(
            "--name, --group, --since, --until, --cancelled and --dry-run go with --failed");
      }
      if (failed) {
        consent.require("with --failed", "jobs");
      }
      filter();
    }

    @Override
    Optional<Future<Long>> counted(JobOperations jobs, String queue) {
      return consent.isDryRun() ? Optional.of(jobs.countFailed(queue, filter())) : Optional.empty();
    }

    private FailedJobsFilter filter() {
      Instant now = console().clock().now();
      return new FailedJobsFilter(
          which.name, group, which.createdAfter(now), which.createdBefore(now), cancelled);
    }
  }

  /** {@code runlane jobs promote}. */
  @Command(
      name = "promote",
      header = "Lets delayed jobs wait now.",
      footer = {
        "Examples:",
        "  runlane jobs promote mails --delayed --dry-run",
        "  runlane jobs promote mails --delayed --yes"
      })
  static final class Promote extends Named {
    @Option(names = "--delayed", description = "All that are delayed. With --dry-run or --yes.")
    private boolean delayed;

    @Mixin
    private Consent consent = new Consent();

    Promote(OperatorConsole console) {
      super(console, "promoted");
    }

    @Override
    Future<Void> change(JobOperations jobs, String queue, String jobId) {
      return jobs.promote(queue, jobId);
    }

    @Override
    boolean isForAll() {
      return delayed;
    }

    @Override
    Future<Integer> changeAll(JobOperations jobs, String queue) {
      return jobs.promoteDelayed(queue);
    }

    @Override
    void check() {
      if (delayed) {
        consent.require("with --delayed", "jobs");
      } else if (consent.isDryRun()) {
        throw new UsageException("--dry-run goes with --delayed");
      }
    }

    @Override
    Optional<Future<Long>> counted(JobOperations jobs, String queue) {
      return consent.isDryRun()
          ? Optional.of(jobs.search(in(queue, JobState.DELAYED), 0, 1).map(Found::total))
          : Optional.empty();
    }
  }

  /** {@code runlane jobs cancel}. */
  @Command(
      name = "cancel",
      header =
          "Cancels jobs: those that no worker has end at once, handlers of the others are told.",
      description =
          "Such a job ends as failed, is never tried again by itself, and stays to be looked at.",
      footer = {"Example:", "  runlane jobs cancel mails job_17 --reason 'it sends for ever'"})
  static final class Cancel extends Named {
    Cancel(OperatorConsole console) {
      super(console, "cancelled");
    }

    @Override
    Future<Void> change(JobOperations jobs, String queue, String jobId) {
      return jobs.cancel(queue, jobId)
          .compose(isNew -> isNew
              ? Future.succeededFuture()
              : Future.failedFuture(RunlaneException.conflict(
                  StorageConflictKind.JOB_STATE,
                  "job %s of queue %s has ended, or was cancelled before",
                  jobId,
                  queue)));
    }
  }

  /** {@code runlane jobs remove}. */
  @Command(name = "remove", header = "Removes jobs for ever; a worker that has one has lost it.")
  static final class Remove extends Named {
    Remove(OperatorConsole console) {
      super(console, "removed");
    }

    @Override
    Future<Void> change(JobOperations jobs, String queue, String jobId) {
      return jobs.remove(queue, jobId);
    }
  }

  /** Does something to a queue. */
  abstract static class OfQueue extends JobCommand {
    @Parameters(paramLabel = "QUEUE", description = "The queue.")
    private String queue = "";

    OfQueue(OperatorConsole console) {
      super(console);
    }

    /** Throws {@link UsageException}. */
    void check() {}

    @Mixin
    private ActionOptions action = new ActionOptions();

    /** Does it. */
    abstract Future<Void> change(JobOperations jobs, String queue);

    @Override
    final ActionOptions action() {
      return action;
    }

    /** What it has become. */
    abstract String done();

    @Override
    final Work work() {
      check();
      return jobs -> {
        console().finishEnd(change(jobs, queue));
        console()
            .out()
            .println(
                isJson()
                    ? JsonAnswers.object()
                        .put("queue", queue)
                        .put("done", done())
                        .toString()
                    : PlainText.oneLine("Queue " + queue + " is " + done()));
        return OperatorExit.DONE;
      };
    }
  }

  /** {@code runlane jobs redrive}. */
  @Command(
      name = "redrive",
      header =
          "Puts jobs of a dead-letter queue back into the queues they came from, oldest first.",
      footer = {
        "Examples:",
        "  runlane jobs redrive mails-dead --dry-run",
        "  runlane jobs redrive mails-dead --yes --reason 'the server takes mail again'"
      })
  static final class Redrive extends JobCommand {
    private static final int MOST = 10_000;

    @Parameters(paramLabel = "QUEUE", description = "The dead-letter queue.")
    private String queue = "";

    @Option(
        names = {"-n", "--limit"},
        paramLabel = "N",
        description = "How many at most, up to 10000. Default: ${DEFAULT-VALUE}.")
    private int limit = 1_000;

    @Mixin
    private Consent consent = new Consent();

    @Mixin
    private ActionOptions action = new ActionOptions();

    Redrive(OperatorConsole console) {
      super(console);
    }

    @Override
    ActionOptions action() {
      return action;
    }

    @Override
    Work work() {
      if (limit < 1 || limit > MOST) {
        throw new UsageException("--limit must be 1 to " + MOST + ", was " + limit);
      }
      consent.require("", "jobs");
      return jobs -> {
        if (consent.isDryRun()) {
          return tellCounted(queue, console().await(count(jobs)), "redriven");
        }
        int redriven = console().finishEnd(jobs.redrive(queue, limit));
        tell(queue, redriven, "redriven");
        if (redriven == limit) {
          console().err().println("runlane: there may be more: the same command goes on with them");
        }
        return OperatorExit.DONE;
      };
    }

    /** Jobs of the queue's own wait there too, and stay. */
    private Future<Long> count(JobOperations jobs) {
      return jobs.search(in(queue, JobState.WAITING), 0, MOST).map(found -> found.jobs().stream()
          .filter(job -> JsonAnswers.tree(job.json()).has("deadLetter"))
          .limit(limit)
          .count());
    }
  }

  /** {@code runlane jobs drain}. */
  @Command(
      name = "drain",
      header = "Removes all jobs that no worker has and that have not ended, for ever.")
  static final class Drain extends OfQueue {
    @Option(names = "--yes", description = "Does it: what is removed cannot be brought back.")
    private boolean yes;

    Drain(OperatorConsole console) {
      super(console);
    }

    @Override
    void check() {
      if (!yes) {
        throw new UsageException("what is drained is gone for ever: --yes does it");
      }
    }

    @Override
    Future<Void> change(JobOperations jobs, String queue) {
      return jobs.drain(queue);
    }

    @Override
    String done() {
      return "drained";
    }
  }

  /** {@code runlane jobs pause}. */
  @Command(name = "pause", header = "Hands out no job of a queue any more; what runs goes on.")
  static final class Pause extends OfQueue {
    @Option(
        names = "--name",
        paramLabel = "NAME",
        description = "Of jobs of exactly this name only.")
    private @Nullable String name;

    Pause(OperatorConsole console) {
      super(console);
    }

    @Override
    Future<Void> change(JobOperations jobs, String queue) {
      return jobs.pause(queue, name);
    }

    @Override
    String done() {
      return "paused" + (name == null ? "" : " for jobs named " + name);
    }
  }

  /** {@code runlane jobs resume}. */
  @Command(name = "resume", header = "Takes a pause back.")
  static final class Resume extends OfQueue {
    @Option(
        names = "--name",
        paramLabel = "NAME",
        description = "That of jobs of exactly this name.")
    private @Nullable String name;

    Resume(OperatorConsole console) {
      super(console);
    }

    @Override
    Future<Void> change(JobOperations jobs, String queue) {
      return jobs.resume(queue, name);
    }

    @Override
    String done() {
      return "resumed" + (name == null ? "" : " for jobs named " + name);
    }
  }
}
