package dev.runlane.conformance.model.jobs;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobTransitions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Who gets which job: one job after the other, each time looking at all of them. */
final class ModelFetches {
  private static final String WITHOUT_GROUP = "";

  private final ModelJobs jobs;
  private final List<Name> paused = new ArrayList<>();
  private final List<Name> served =
      new ArrayList<>(); // groups, in the order of their grouped fetches
  private final List<HandOut> limited = new ArrayList<>(); // of fetches with a rate limit

  ModelFetches(ModelJobs jobs) {
    this.jobs = jobs;
  }

  void pause(String queueName, String jobName) {
    resume(queueName, jobName);
    paused.add(new Name(queueName, jobName));
  }

  void resume(String queueName, String jobName) {
    paused.remove(new Name(queueName, jobName));
  }

  List<String> pausedIn(String queueName) {
    return paused.stream()
        .filter(each -> each.queueName().equals(queueName))
        .map(Name::name)
        .toList();
  }

  boolean isPaused(String queueName, String jobName) {
    return paused.contains(new Name(queueName, jobName));
  }

  /** The queues in which something is paused, served or limited. */
  Stream<String> queues() {
    return Stream.of(
            paused.stream().map(Name::queueName),
            served.stream().map(Name::queueName),
            limited.stream().map(HandOut::queueName))
        .flatMap(names -> names);
  }

  void forget(String queueName) {
    paused.removeIf(each -> each.queueName().equals(queueName));
    served.removeIf(each -> each.queueName().equals(queueName));
    limited.removeIf(each -> each.queueName().equals(queueName));
  }

  /** "A fetch of several equals as many fetches of one." */
  List<JobData> fetch(FetchJobs command, List<ModelJob> passedOver) {
    return fetch(command, passedOver, List.of());
  }

  /**
   * The same behind ends of the same call: a store may hand out before them, "and what is left of the limit after
   * them". So another job may come before one that waits since those ends.
   */
  List<JobData> fetchAfterEnds(FetchJobs command, List<ModelJob> waitingSince) {
    return fetch(command, List.of(), waitingSince);
  }

  private List<JobData> fetch(
      FetchJobs command, List<ModelJob> passedOver, List<ModelJob> waitingSince) {
    List<JobData> fetched = new ArrayList<>();
    while (fetched.size() < command.limit() && mayHandOut(command)) {
      int place = fetched.size();
      Optional<ModelJob> best = best(command.queueName(), command.options(), passedOver);
      if (best.filter(waitingSince::contains).isPresent()) {
        Optional<ModelJob> other = best(command.queueName(), command.options(), waitingSince)
            .filter(row -> jobs.isShownFetched(place, row));
        best = other.isPresent() ? other : best;
      }
      if (best.isEmpty()) {
        break;
      }
      fetched.add(handOut(best.get(), command));
    }
    return fetched;
  }

  private boolean mayHandOut(FetchJobs command) {
    Integer most = command.options().globalConcurrency();
    return !isPaused(command.queueName(), JobStore.ALL)
        && (most == null || jobs.in(command.queueName(), JobState.ACTIVE).count() < most)
        && isWithinRate(command);
  }

  /** "Counts the hand-outs … whose now is less than duration before this one's, or after it." */
  private boolean isWithinRate(FetchJobs command) {
    RateLimit limit = command.options().rateLimit();
    if (limit == null) {
      return true;
    }
    Instant begin = command.now().minus(limit.duration());
    return limited.stream()
            .filter(each -> each.queueName().equals(command.queueName()))
            .filter(each -> each.at().isAfter(begin))
            .count()
        < limit.max();
  }

  private Optional<ModelJob> best(
      String queueName, FetchOptions options, List<ModelJob> passedOver) {
    return jobs.in(queueName, JobState.WAITING)
        .filter(row -> !passedOver.contains(row))
        .filter(row -> !isPaused(queueName, row.job.name()))
        .filter(row -> options.jobName() == null || options.jobName().equals(row.job.name()))
        .filter(row -> !options.isGrouped() || isOpen(queueName, row.job.groupId(), options))
        .min(order(options));
  }

  private boolean isOpen(String queueName, @Nullable String groupId, FetchOptions options) {
    if (groupId == null) {
      return true;
    }
    long active = jobs.in(queueName, JobState.ACTIVE)
        .filter(row -> groupId.equals(row.job.groupId()))
        .count();
    Integer most = options.groupConcurrency();
    return !options.excludeGroups().contains(groupId) && (most == null || active < most);
  }

  /** The best job of the group that was served least recently, where groups are served in turn. */
  private Comparator<ModelJob> order(FetchOptions options) {
    Comparator<ModelJob> byPlace = Comparator.comparingLong(row -> row.place);
    Comparator<ModelJob> byPriority =
        Comparator.comparingDouble(row -> row.job.options().effectivePriority());
    Comparator<ModelJob> order =
        byPriority.thenComparing(options.lifo() ? byPlace.reversed() : byPlace);
    Comparator<ModelJob> byTurn = Comparator.comparingInt(row -> served.lastIndexOf(groupOf(row)));
    return options.isGrouped() ? byTurn.thenComparing(order) : order;
  }

  private JobData handOut(ModelJob row, FetchJobs command) {
    jobs.change(
        row,
        JobTransitions.fetched(
            row.job,
            command.workerId(),
            jobs.names.make("lock"),
            command.lockDuration(),
            command.now()));
    if (command.options().isGrouped()) {
      served.add(groupOf(row));
    }
    if (command.options().rateLimit() != null) {
      limited.add(new HandOut(command.queueName(), command.now()));
    }
    return row.job;
  }

  private static Name groupOf(ModelJob row) {
    String group = row.job.groupId();
    return new Name(row.job.queueName(), group == null ? WITHOUT_GROUP : group);
  }

  /** A name of jobs, or a group, of a queue. */
  private record Name(String queueName, String name) {}

  private record HandOut(String queueName, Instant at) {}
}
