package dev.runlane.conformance.model.jobs;

import dev.runlane.conformance.model.Names;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.JobPage;
import dev.runlane.jobs.store.SavedJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All jobs of the model, one list; and what the store has shown of its own choices. */
final class ModelJobs {
  static final Comparator<ModelJob> OLDEST_FIRST = Comparator.comparing(row -> row.job.createdAt());
  static final Comparator<ModelJob> NEWEST_FIRST = OLDEST_FIRST.reversed();

  final Names names;
  final ModelWebhooks webhooks = new ModelWebhooks(this);

  private final List<ModelJob> all = new ArrayList<>();
  private List<?> shown = List.of();
  private List<JobData> fetched = List.of(); // by a hand-over
  private @Nullable List<JobData> left;
  private Predicate<JobData> held = job -> false; // by a command beside the present one
  private BooleanSupplier maybe = () -> false;
  private long inserted;

  ModelJobs(Names names) {
    this.names = names;
  }

  /** What the store answers to the present command: which of those that are of one rank come first is its choice. */
  void follow(@Nullable Object answer) {
    left = answer instanceof AndLook.Answer look ? look.jobs() : null;
    shown = shownBy(answer);
    fetched = answer instanceof AndLook.Answer look
            && look.result() instanceof FinishedAndFetched handedOver
        ? handedOver.fetched()
        : List.of();
  }

  private static List<?> shownBy(@Nullable Object answer) {
    if (answer instanceof AndLook.Answer look) {
      return look.jobs();
    }
    if (answer instanceof JobPage page) {
      return page.jobs();
    }
    if (answer instanceof Optional<?> optional) {
      return optional.stream().toList();
    }
    return answer instanceof List<?> list ? list : List.of();
  }

  Stream<ModelJob> stream() {
    return all.stream();
  }

  Stream<ModelJob> in(String queueName) {
    return stream().filter(row -> row.job.queueName().equals(queueName));
  }

  Stream<ModelJob> in(String queueName, JobState state) {
    return in(queueName).filter(row -> row.job.state() == state);
  }

  Optional<ModelJob> find(String queueName, String jobId) {
    return in(queueName).filter(row -> row.job.id().equals(jobId)).findFirst();
  }

  boolean has(ModelJob row) {
    return all.contains(row);
  }

  String newId() {
    return names.make("job");
  }

  /** A new job, which takes its key from whoever had it. */
  ModelJob insert(JobData job) {
    inserted++;
    ModelJob row = new ModelJob(job, job.options().isLifo() ? -inserted : inserted);
    if (job.deduplicationKey() != null && row.isOpen()) {
      holderOf(job).ifPresent(holder -> holder.hasKey = false);
      row.hasKey = true;
    }
    all.add(row);
    return row;
  }

  /**
   * Writes a job. One that is given another key has it if nobody else does. "A job that comes back from a terminal
   * state keeps its key only if no other open job has it then, else it loses it."
   */
  void change(ModelJob row, JobData after) {
    boolean comesBack = !row.isOpen() && !after.state().isTerminal();
    boolean isGivenKey = !Objects.equals(after.deduplicationKey(), row.job.deduplicationKey());
    boolean ends = after.state().isTerminal() && after.state() != row.job.state();
    row.job = after;
    if ((comesBack || isGivenKey) && after.deduplicationKey() != null) {
      row.hasKey = false;
      row.hasKey = holderOf(after).isEmpty();
      if (comesBack && !row.hasKey) {
        row.job = after.toBuilder().deduplicationKey(null).build();
      }
    }
    if (!row.isOpen() || row.job.deduplicationKey() == null) {
      row.hasKey = false;
    }
    if (ends) {
      webhooks.ended(row.job);
    }
  }

  void remove(ModelJob row) {
    all.remove(row);
  }

  /** The open job that has this job's key, its time past or not. */
  private Optional<ModelJob> holderOf(JobData job) {
    return in(job.queueName())
        .filter(ModelJob::isOpen)
        .filter(row ->
            row.hasKey && String.valueOf(row.job.deduplicationKey()).equals(job.deduplicationKey()))
        .findFirst();
  }

  Optional<ModelJob> standingFor(String queueName, String key, Instant now) {
    return in(queueName).filter(row -> row.standsFor(key, now)).findFirst();
  }

  /** All that is stored, to go back to. */
  List<ModelJob> save() {
    return all.stream().map(ModelJob::copy).toList();
  }

  void goBack(List<ModelJob> before) {
    all.clear();
    all.addAll(before);
  }

  /** From {@code start} to {@code end} in this order; who comes first of those of one rank is as the store shows. */
  List<JobData> page(Stream<ModelJob> rows, Comparator<ModelJob> order, int start, int end) {
    BiPredicate<ModelJob, Object> isShown =
        (row, theirs) -> theirs instanceof JobData job && isShownAs(row.job, job);
    return ranked(rows, order, start, end, isShown).stream().map(row -> row.job).toList();
  }

  /** The same of anything. */
  <T> List<T> ranked(
      Stream<T> all, Comparator<T> order, int start, int end, BiPredicate<T, Object> isShown) {
    List<T> sorted = all.sorted(order).toList();
    List<T> page = new ArrayList<>();
    for (int i = start; i < Math.min(end, sorted.size()); i++) {
      T here = sorted.get(i);
      List<T> equal = sorted.stream()
          .filter(each -> order.compare(each, here) == 0 && !page.contains(each))
          .toList();
      Object theirs = i - start < shown.size() ? shown.get(i - start) : null;
      page.add(equal.stream()
          .filter(each -> theirs != null && isShown.test(each, theirs))
          .findFirst()
          .orElse(equal.isEmpty() ? here : equal.get(0)));
    }
    return page;
  }

  /** The same of schedules. */
  List<JobSchedule> firstDue(List<JobSchedule> due, Comparator<JobSchedule> order, int limit) {
    return due.stream()
        .sorted(order.thenComparingInt(each -> rankOf(each.key())))
        .limit(limit)
        .toList();
  }

  /** Which jobs commands beside the next one may hold, and whether one that no answer names was passed over. */
  void letPassOver(Predicate<JobData> mayBeHeld, BooleanSupplier isPassedOver) {
    held = mayBeHeld;
    maybe = isPassedOver;
  }

  /** Whether the job was not handed out, while somebody else may have held it. */
  boolean isLeftToOthers(ModelJob row) {
    return held.test(row.job)
        && shown.stream().noneMatch(each -> each instanceof JobData job && isShownAs(row.job, job));
  }

  /** Whether a command to many jobs passes over this one, which somebody else may hold. */
  boolean isPassedOver(ModelJob row) {
    return held.test(row.job) && maybe.getAsBoolean();
  }

  /** What the store says of the state of a job that was saved. */
  Optional<JobState> shownState(int index) {
    return index < shown.size() && shown.get(index) instanceof SavedJob saved
        ? Optional.of(saved.state())
        : Optional.empty();
  }

  /** What comes in any order. */
  <T> List<T> inShownOrder(List<T> all) {
    List<T> inOrder = new ArrayList<>(all);
    inOrder.sort(Comparator.comparingInt(shown::indexOf));
    return inOrder;
  }

  private int rankOf(String key) {
    for (int i = 0; i < shown.size(); i++) {
      if (shown.get(i) instanceof JobSchedule schedule && schedule.key().equals(key)) {
        return i;
      }
    }
    return shown.size();
  }

  /** Whether a hand-over has handed out the job in this place. */
  boolean isShownFetched(int place, ModelJob row) {
    return place < fetched.size() && isShownAs(row.job, fetched.get(place));
  }

  /** Whether the store has the job after the present command, where it was looked at. */
  boolean isLeft(ModelJob row) {
    return left != null && left.stream().anyMatch(theirs -> isShownAs(row.job, theirs));
  }

  /** Whether the store has given the job its key after the present command, where it was looked at. */
  boolean isLeftWithKey(ModelJob row) {
    return left != null
        && left.stream()
            .anyMatch(theirs -> theirs.deduplicationKey() != null && isShownAs(row.job, theirs));
  }

  /** One that was never shown before is known by what it is. */
  private boolean isShownAs(JobData mine, JobData theirs) {
    if (!mine.queueName().equals(theirs.queueName())) {
      return false;
    }
    if (!Names.isMade(mine.id())) {
      return mine.id().equals(theirs.id());
    }
    return names
        .inStorage(mine.id())
        .map(theirs.id()::equals)
        .orElseGet(() -> !names.isShown("job", theirs.id())
            && mine.name().equals(theirs.name())
            && mine.data().equals(theirs.data())
            && originOf(mine).equals(originOf(theirs)));
  }

  private String originOf(JobData job) {
    DeadLetter origin = job.deadLetter();
    return origin == null
        ? ""
        : origin.queueName() + '\0' + names.inStorage(origin.jobId()).orElse(origin.jobId());
  }
}
