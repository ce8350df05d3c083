package dev.runlane.jobs.store;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import dev.runlane.json.StorableText;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.Identifiers;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What every job store checks first; each method throws {@code ValidationFailed}. Text holds neither NUL nor
 * half a surrogate pair, in JSON nothing but their escapes; no list holds more than {@value #MOST_ENTRIES}
 * entries.
 */
public final class JobChecks {
  /** Most characters of a queue, job name, job id, worker id, group or schedule key = {@value}. */
  public static final int MOST_CHARACTERS = 255;

  /** Most characters of a deduplication key = {@value}. */
  public static final int MOST_KEY_CHARACTERS = 512;

  /** Most characters of one line of log = {@value}. */
  public static final int MOST_LINE_CHARACTERS = 20_000;

  /** Most entries of the trace carrier that a caller gives = {@value}. */
  public static final int MOST_CARRIER_ENTRIES = 32;

  /** Most entries of the trace carrier of a job = {@value}: observers add to what the caller gave. */
  public static final int MOST_CARRIED_ENTRIES = 40;

  /** Most characters of a name or value in a trace carrier = {@value}: the most that W3C Baggage may have. */
  public static final int MOST_CARRIER_CHARACTERS = 8_192;

  /** Most jobs, locks or groups in one call, and most jobs in one answer = {@value}. */
  public static final int MOST_ENTRIES = 10_000;

  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");
  private static final char FIRST_PRINTABLE = ' ';

  private JobChecks() {}

  /** A queue's name: 1 to 255 characters, none below U+0020. */
  public static void requireQueue(String queueName) {
    requireText("queue name", queueName, MOST_CHARACTERS);
    for (int index = 0; index < queueName.length(); index++) {
      if (queueName.charAt(index) < FIRST_PRINTABLE) {
        throw RunlaneException.validationFailed(
            "Invalid queue name: it must not contain control characters");
      }
    }
  }

  /** Queue and job. */
  public static void requireJob(String queueName, String jobId) {
    requireQueue(queueName);
    requireText("job id", jobId, MOST_CHARACTERS);
  }

  /** A job's name, or the mark that stands for all. */
  public static void requireName(String jobName) {
    requireText("job name", jobName, MOST_CHARACTERS);
  }

  /** A deduplication key. */
  public static void requireKey(String key) {
    requireText("deduplication key", key, MOST_KEY_CHARACTERS);
  }

  /** A group's id. */
  public static void requireGroup(String groupId) {
    requireText("group id", groupId, MOST_CHARACTERS);
  }

  /** A schedule's queue and name. */
  public static void requireSchedule(String queueName, String key) {
    requireQueue(queueName);
    requireText("schedule key", key, MOST_CHARACTERS);
  }

  /** A trace carrier that a caller gives, or null for none. */
  public static void requireCarrier(@Nullable Map<String, String> carrier) {
    requireCarrier(carrier, MOST_CARRIER_ENTRIES);
  }

  /** A trace carrier that a job has, or null for none. */
  public static void requireCarried(@Nullable Map<String, String> carrier) {
    requireCarrier(carrier, MOST_CARRIED_ENTRIES);
  }

  private static void requireCarrier(@Nullable Map<String, String> carrier, int most) {
    if (carrier == null) {
      return;
    }
    requireBetween("traceCarrier's size", carrier.size(), 0, most);
    carrier.forEach((name, value) -> {
      requireBetween("a name's length in traceCarrier", name.length(), 0, MOST_CARRIER_CHARACTERS);
      requireBetween(
          "a value's length in traceCarrier", value.length(), 0, MOST_CARRIER_CHARACTERS);
    });
    StorableText.require("traceCarrier", carrier);
  }

  /** A line of log. */
  public static void requireLine(String line) {
    if (line.length() > MOST_LINE_CHARACTERS) {
      throw RunlaneException.validationFailed(
          "a line of log must have at most %d characters, but has %d",
          MOST_LINE_CHARACTERS, line.length());
    }
    StorableText.require("a line of log", line);
  }

  /** An instant in the years 1 to 9999. */
  public static void requireInstant(String what, @Nullable Instant instant) {
    if (instant != null && (instant.isBefore(EARLIEST) || instant.isAfter(LATEST))) {
      throw RunlaneException.validationFailed(
          "%s must be between %s and %s, but is %s", what, EARLIEST, LATEST, instant);
    }
  }

  /** A range of a list: 0 ≤ start ≤ end, and no more than fits in one answer. */
  public static void requireRange(int start, int end) {
    if (start < 0 || end < start || end - start > MOST_ENTRIES) {
      throw RunlaneException.validationFailed(
          "a range must go from 0 on over at most %d entries, but is %d to %d",
          MOST_ENTRIES, start, end);
    }
  }

  /** A limit from 1 on. */
  public static void requireLimit(int limit) {
    requireBetween("limit", limit, 1, MOST_ENTRIES);
  }

  /** How long a lock lasts: at least 1 ms, and its end can be stored. */
  public static void requireLock(Duration duration, Instant now) {
    requirePositive("lock duration", duration);
    requireInstant("now", now);
    requireInstant("the end of the lock", now.plus(duration));
  }

  /** An age, 0 or more, whose beginning can be named. */
  public static void requireGrace(Duration grace, Instant now) {
    requireNotNegative("grace", grace);
    requireInstant("now", now);
    requireInstant("now less grace", now.minus(grace));
  }

  /** A state that jobs end in. */
  public static void requireTerminal(JobState state) {
    if (!state.isTerminal()) {
      throw RunlaneException.validationFailed(
          "the state must be completed or failed, but is %s", state.value());
    }
  }

  /** The number of entries in a call. */
  public static void requireCount(String what, Collection<?> entries) {
    if (entries.size() > MOST_ENTRIES) {
      throw RunlaneException.validationFailed(
          "%s must hold at most %d entries, but holds %d", what, MOST_ENTRIES, entries.size());
    }
  }

  /** Checks all that a hand-out depends on. */
  public static void check(FetchJobs command) {
    requireQueue(command.queueName());
    requireText("worker id", command.workerId(), MOST_CHARACTERS);
    requireLock(command.lockDuration(), command.now());
    requireLimit(command.limit());
    FetchOptions options = command.options();
    if (options.jobName() != null) {
      requireName(options.jobName());
    }
    requireAtLeastOne("groupConcurrency", options.groupConcurrency());
    requireAtLeastOne("globalConcurrency", options.globalConcurrency());
    requireCount("excludeGroups", options.excludeGroups());
    options.excludeGroups().forEach(JobChecks::requireGroup);
    if (options.rateLimit() != null) {
      requireAtLeastOne("rateLimit.max", options.rateLimit().max());
      requirePositive("rateLimit.duration", options.rateLimit().duration());
    }
  }

  /** Checks jobs that are to be stored in a queue. */
  public static void check(String queueName, List<NewJob> jobs) {
    requireQueue(queueName);
    requireCount("jobs", jobs);
    for (NewJob job : jobs) {
      check(job);
      if (job.id() != null
          && job.id().equals(job.parentId())
          && queueName.equals(job.parentQueueName())) {
        throw ownAncestor(queueName, job.id());
      }
    }
  }

  /** Checks one job that is to be stored. */
  public static void check(NewJob job) {
    if (job.id() != null) {
      requireText("job id", job.id(), MOST_CHARACTERS);
    }
    requireName(job.name());
    requireJson("data", job.data());
    check(job.options());
    requireInstant("createdAt", job.createdAt());
    requireInstant("delayUntil", job.delayUntil());
    if (job.deduplicationKey() != null) {
      requireKey(job.deduplicationKey());
    }
    if (job.groupId() != null) {
      requireGroup(job.groupId());
    }
    if ((job.parentId() == null) != (job.parentQueueName() == null)) {
      throw RunlaneException.validationFailed("a parent needs both its queue and its id");
    }
    if (job.parentId() != null && job.parentQueueName() != null) {
      requireJob(job.parentQueueName(), job.parentId());
    }
    requireCount("childrenIds", job.childrenIds());
    job.childrenIds().forEach(id -> requireText("child id", id, MOST_CHARACTERS));
    requireBetween("pendingChildrenCount", job.pendingChildrenCount(), 0, Integer.MAX_VALUE);
    if (job.state() == JobState.DELAYED && job.delayUntil() == null) {
      throw RunlaneException.validationFailed("a delayed job needs delayUntil");
    }
    if (job.more() != null) {
      check(job.more());
    }
  }

  /** Checks options. */
  public static void check(JobOptions options) {
    requireAtLeastOne("attempts", options.attempts());
    requireNotNegative("delay", options.delay());
    requirePositiveOrNull("timeout", options.timeout());
    if (options.priority() != null && !Double.isFinite(options.priority())) {
      throw RunlaneException.validationFailed("priority must be a finite number");
    }
    if (options.maxStalls() != null) {
      requireBetween("maxStalls", options.maxStalls(), 0, Integer.MAX_VALUE);
    }
    if (options.jobId() != null) {
      requireText("job id", options.jobId(), MOST_CHARACTERS);
    }
    if (options.deadLetterQueue() != null) {
      requireQueue(options.deadLetterQueue());
    }
    if (options.group() != null) {
      requireGroup(options.group().id());
      requireAtLeastOne("group.maxSize", options.group().maxSize());
    }
    if (options.backoff() != null) {
      check(options.backoff());
    }
    if (options.repeat() != null) {
      check(options.repeat());
    }
    if (options.deduplication() != null) {
      check(options.deduplication());
    }
    requireCarried(options.traceCarrier());
    check("removeOnComplete", options.removeOnComplete());
    check("removeOnFail", options.removeOnFail());
  }

  /** Checks when a job repeats, but not what its cron expression says. */
  public static void check(JobRepeat repeat) {
    if ((repeat.cron() == null) == (repeat.every() == null)) {
      throw RunlaneException.validationFailed("repeat needs either cron or every");
    }
    if (repeat.cron() != null) {
      requireText("repeat.cron", repeat.cron(), MOST_CHARACTERS);
    }
    requirePositiveOrNull("repeat.every", repeat.every());
    if (repeat.limit() != null) {
      requireBetween("repeat.limit", repeat.limit(), 0, Integer.MAX_VALUE);
    }
    requireInstant("repeat.startDate", repeat.startDate());
    requireInstant("repeat.endDate", repeat.endDate());
    if (repeat.startDate() != null
        && repeat.endDate() != null
        && !repeat.endDate().isAfter(repeat.startDate())) {
      throw RunlaneException.validationFailed(
          "endDate %s must be after startDate %s", repeat.endDate(), repeat.startDate());
    }
    if (repeat.zone() != null) {
      requireZone(repeat.zone());
    }
  }

  /** Checks the fields that were given. */
  public static void check(JobUpdate update) {
    for (JobUpdate.Field field : update.fields()) {
      requireStorable(field.name(), update.get(field));
    }
    requireAtMost(MOST_KEY_CHARACTERS, update, JobUpdate.Field.DEDUPLICATION_KEY);
    requireAtMost(
        ContractDefaults.MAX_FAILURE_MESSAGE_CHARACTERS, update, JobUpdate.Field.FAILED_REASON);
    requireAtMost(MOST_CHARACTERS, update, JobUpdate.Field.GROUP_ID);
    requireAtMost(MOST_CHARACTERS, update, JobUpdate.Field.PARENT_ID);
    requireAtMost(MOST_CHARACTERS, update, JobUpdate.Field.PARENT_QUEUE_NAME);
    if (update.get(JobUpdate.Field.OPTIONS) instanceof JobOptions options) {
      check(options);
    }
    if (update.get(JobUpdate.Field.LOGS) instanceof List<?> lines) {
      lines.forEach(line -> requireLine(String.valueOf(line)));
    }
    if (update.get(JobUpdate.Field.PROGRESS) instanceof Double progress
        && !(progress >= 0 && progress <= 100)) {
      throw RunlaneException.validationFailed(
          "progress must be between 0 and 100, but is %s", progress);
    }
    for (JobUpdate.Field count :
        List.of(JobUpdate.Field.ATTEMPTS_MADE, JobUpdate.Field.PENDING_CHILDREN_COUNT)) {
      if (update.get(count) instanceof Integer number) {
        requireBetween(count.name(), number, 0, Integer.MAX_VALUE);
      }
    }
  }

  /** The ends and the fetch of a hand-over. */
  public static void check(FinishAndFetch command) {
    check(command.finished());
    check(command.fetch());
  }

  /** Checks hand-outs that are to be ended; none may be named twice. */
  public static void check(List<FinishJob> commands) {
    requireDistinct(
        "commands",
        commands,
        each -> each.lock().queueName() + '\0' + each.lock().jobId());
    for (FinishJob command : commands) {
      requireLock(command.lock());
      requireInstant("now", command.now());
      if (command.outcome() instanceof JobOutcome.Completed completed
          && completed.returnvalue() != null) {
        requireJson("returnvalue", completed.returnvalue());
      }
      if (command.outcome() instanceof JobOutcome.Retry retry) {
        requireInstant("at", retry.at());
      }
      if (command.outcome() instanceof JobOutcome.Snooze snooze) {
        requireInstant("at", snooze.at());
      }
      if (command.next() != null) {
        check(command.next());
        requireStandalone("the next job of a series", command.next());
      }
    }
  }

  /** Checks locks; no job may be named twice. */
  public static void requireLocks(List<JobLock> locks) {
    requireDistinct("locks", locks, each -> each.queueName() + '\0' + each.jobId());
    locks.forEach(JobChecks::requireLock);
  }

  /** Checks the name of a lock. */
  public static void requireLock(JobLock lock) {
    requireJob(lock.queueName(), lock.jobId());
    requireText("lock token", lock.token(), MOST_CHARACTERS);
  }

  /** Checks a flow: each id once, without deduplication or repetition. */
  public static void checkFlow(List<FlowNode> nodes) {
    requireDistinct(
        "jobs of a flow",
        nodes.stream().filter(each -> each.job().id() != null).toList(),
        each -> each.queueName() + '\0' + each.job().id());
    for (FlowNode node : nodes) {
      requireQueue(node.queueName());
      check(node.job());
      if (node.job().deduplicationKey() != null) {
        throw RunlaneException.validationFailed(
            "a job of a flow cannot be deduplicated: its children would belong to another");
      }
      if (node.job().options().repeat() != null) {
        throw RunlaneException.validationFailed(
            "a job of a flow cannot repeat: its children run once");
      }
    }
    requireNoCircle(nodes);
  }

  /** Checks a named schedule. */
  public static void check(UpsertSchedule command) {
    requireSchedule(command.queueName(), command.key());
    requireName(command.jobName());
    requireJson("data", command.data());
    check(command.options());
    check(command.repeat());
    if (command.options().repeat() != null
        || command.options().jobId() != null
        || command.options().delay() != null) {
      throw RunlaneException.validationFailed(
          "the options of a schedule's jobs must name neither repeat nor job id nor delay");
    }
    requireInstant("nextAt", command.nextAt());
    requireInstant("now", command.now());
  }

  /** Checks a fire. */
  public static void check(FireSchedule command) {
    requireSchedule(command.queueName(), command.key());
    check(command.repeat());
    check(command.job());
    requireStandalone("a schedule's job", command.job());
    requireInstant("now", command.now());
    requireInstant("nextAt", command.nextAt());
    if (command.nextAt() != null && !command.nextAt().isAfter(command.dueAt())) {
      throw RunlaneException.validationFailed(
          "the next fire must be after that of %s, but is at %s",
          command.dueAt(), command.nextAt());
    }
  }

  /** Checks a search. */
  public static void check(SearchJobsFilter filter) {
    if (filter.queueName() != null) {
      requireQueue(filter.queueName());
    }
    requireInstant("createdAfter", filter.createdAfter());
    requireInstant("createdBefore", filter.createdBefore());
    StorableText.require("name", filter.name());
  }

  /** Checks which failed jobs are meant. */
  public static void check(FailedJobsFilter filter) {
    requireInstant("createdAfter", filter.createdAfter());
    requireInstant("createdBefore", filter.createdBefore());
    StorableText.require("name", filter.name());
    StorableText.require("groupId", filter.groupId());
  }

  /** Checks a question about metrics. */
  public static void check(MetricsQuery query) {
    requireQueue(query.queueName());
    requireInstant("from", query.from());
    requireInstant("to", query.to());
  }

  /** Checks ids and filters of webhooks. */
  public static void check(RegisterJobWebhooks command) {
    requireInstant("now", command.now());
    requireCount("webhooks", command.webhooks().keySet());
    command.webhooks().forEach((id, filter) -> {
      Identifiers.requireId("webhookId", id);
      filter.states().forEach(JobChecks::requireTerminal);
      requireCount("queueNames", filter.queueNames());
      filter.queueNames().forEach(JobChecks::requireQueue);
      requireCount("names", filter.names());
      filter.names().forEach(JobChecks::requireName);
    });
  }

  /** Checks ids, the claim and the limit. */
  public static void check(ClaimJobDeliveries command) {
    requireCount("webhookIds", command.webhookIds());
    command.webhookIds().forEach(id -> Identifiers.requireId("webhookId", id));
    requireText("token", command.token(), MOST_CHARACTERS);
    requireInstant("now", command.now());
    requirePositive("claimFor", command.claimFor());
    requireInstant("the end of the claim", command.now().plus(command.claimFor()));
    requireLimit(command.limit());
  }

  /** Checks ids and instants; no delivery may be named twice. */
  public static void check(FinishJobDeliveries command) {
    requireText("token", command.token(), MOST_CHARACTERS);
    requireCount("outcomes", command.outcomes());
    Set<String> named = new HashSet<>();
    command.outcomes().forEach(outcome -> {
      requireText("delivery id", outcome.deliveryId(), MOST_CHARACTERS);
      requireInstant("retryAt", outcome.retryAt());
      if (!named.add(outcome.deliveryId())) {
        throw RunlaneException.validationFailed("delivery %s is named twice", outcome.deliveryId());
      }
    });
  }

  private static void check(JobBackoff backoff) {
    requireNotNegative("backoff.delay", backoff.delay());
    if ((backoff.type() == JobBackoff.Type.CUSTOM) != (backoff.strategy() != null)) {
      throw RunlaneException.validationFailed(
          "a custom back-off, and no other, names its customStrategy");
    }
    if (backoff.strategy() != null) {
      requireText("backoff.customStrategy", backoff.strategy(), MOST_CHARACTERS);
    }
  }

  /** A job that waits for itself, over whatever others of its flow, would wait for ever. */
  private static void requireNoCircle(List<FlowNode> nodes) {
    Map<List<String>, List<String>> parents = new HashMap<>();
    for (FlowNode node : nodes) {
      NewJob job = node.job();
      if (job.id() != null && job.parentId() != null && job.parentQueueName() != null) {
        parents.put(
            List.of(node.queueName(), job.id()), List.of(job.parentQueueName(), job.parentId()));
      }
    }
    Set<List<String>> ended = new HashSet<>(); // whose ancestors end
    for (List<String> from : parents.keySet()) {
      Set<List<String>> ancestors = new HashSet<>();
      List<String> at = from;
      while (at != null && !ended.contains(at)) {
        if (!ancestors.add(at)) {
          throw ownAncestor(at.get(0), at.get(1));
        }
        at = parents.get(at);
      }
      ended.addAll(ancestors);
    }
  }

  private static RunlaneException ownAncestor(String queueName, String jobId) {
    return RunlaneException.validationFailed(
        "job %s of queue %s would wait for itself: it is its own ancestor", jobId, queueName);
  }

  private static void check(JobDeduplication deduplication) {
    if (deduplication.key() != null) {
      requireKey(deduplication.key());
    }
    requirePositiveOrNull("deduplication.ttl", deduplication.ttl());
  }

  private static void check(String what, @Nullable JobRemoval removal) {
    if (removal != null) {
      requirePositiveOrNull(what + ".age", removal.age());
      requireAtLeastOne(what + ".count", removal.count());
    }
  }

  private static void requireStandalone(String what, NewJob job) {
    if (job.parentId() != null || !job.childrenIds().isEmpty() || job.more() != null) {
      throw RunlaneException.validationFailed("%s belongs to no flow", what);
    }
  }

  private static void requireZone(String zone) {
    try {
      ZoneId.of(zone);
    } catch (DateTimeException unknown) {
      throw RunlaneException.validationFailed("Invalid timezone '%s'", zone).causedBy(unknown);
    }
  }

  private static void requireStorable(String what, @Nullable Object value) {
    if (value instanceof String text) {
      StorableText.require(what, text);
    } else if (value instanceof Json json) {
      requireJson(what, json);
    } else if (value instanceof Instant instant) {
      requireInstant(what, instant);
    } else if (value instanceof List<?> list) {
      requireCount(what, list);
      list.forEach(each -> requireStorable(what, each));
    } else if (value instanceof AttemptRecord attempt) {
      requireInstant(what, attempt.startedAt());
      requireInstant(what, attempt.endedAt());
      StorableText.require(what, attempt.error());
      StorableText.require(what, attempt.stacktrace());
      requireStorable(what, attempt.logs());
    }
  }

  private static void requireAtMost(int most, JobUpdate update, JobUpdate.Field field) {
    if (update.get(field) instanceof String text && text.codePointCount(0, text.length()) > most) {
      throw RunlaneException.validationFailed(
          "%s must have at most %d characters, but has %d",
          field.name(), most, text.codePointCount(0, text.length()));
    }
  }

  /** What stands there raw; the escapes of NUL and of half a pair are data. */
  private static void requireJson(String what, Json json) {
    StorableText.require(what, json.text());
  }

  private static void requireText(String what, String text, int mostCharacters) {
    int characters = text.codePointCount(0, text.length());
    if (characters < 1 || characters > mostCharacters) {
      throw RunlaneException.validationFailed(
          "Invalid %s: it must have 1 to %d characters, but has %d",
          what, mostCharacters, characters);
    }
    StorableText.require(what, text);
  }

  private static void requireAtLeastOne(String what, @Nullable Integer number) {
    if (number != null) {
      requireBetween(what, number, 1, Integer.MAX_VALUE);
    }
  }

  private static void requireBetween(String what, int number, int least, int most) {
    if (number < least || number > most) {
      throw RunlaneException.validationFailed(
          "%s must be between %d and %d, but is %d", what, least, most, number);
    }
  }

  private static void requireNotNegative(String what, @Nullable Duration duration) {
    if (duration != null && !duration.isZero()) {
      requirePositive(what, duration);
    }
  }

  private static void requirePositiveOrNull(String what, @Nullable Duration duration) {
    if (duration != null) {
      requirePositive(what, duration);
    }
  }

  private static void requirePositive(String what, Duration duration) {
    if (duration.isNegative()
        || duration.compareTo(ContractDefaults.LONGEST_DURATION) > 0
        || duration.toMillis() < 1
        || duration.toNanosPart() % 1_000_000 != 0) {
      throw RunlaneException.validationFailed(
          "%s must be whole milliseconds between 1 ms and %s, but is %s",
          what, ContractDefaults.LONGEST_DURATION, duration);
    }
  }

  private static <T> void requireDistinct(
      String what, Collection<T> entries, Function<T, String> key) {
    requireCount(what, entries);
    Set<String> seen = new HashSet<>();
    for (T entry : entries) {
      if (!seen.add(key.apply(entry))) {
        throw RunlaneException.validationFailed("%s name one job twice", what);
      }
    }
  }
}
