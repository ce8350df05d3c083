package dev.runlane.conformance.model.jobs;

import dev.runlane.conformance.model.Names;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which ends webhooks are notified of, and what is left to tell: one list. */
final class ModelWebhooks implements JobWebhookStore {
  private static final Comparator<Owed> DUE_LONGEST_FIRST = Comparator.comparing(each -> each.due);

  private final ModelJobs jobs;
  private final Map<String, Registered> registered = new TreeMap<>();
  private final Map<String, Registered> forgotten = new TreeMap<>();
  private final Set<String> open = new HashSet<>();
  private final List<Owed> owed = new ArrayList<>();

  ModelWebhooks(ModelJobs jobs) {
    this.jobs = jobs;
  }

  /** The webhooks that anything is known of and nothing is open. */
  List<String> ids() {
    return Stream.concat(registered.keySet().stream(), forgotten.keySet().stream())
        .filter(id -> !open.contains(id))
        .distinct()
        .toList();
  }

  /** When deliveries are due. */
  Stream<Instant> dueTimes() {
    return owed.stream().map(each -> each.due);
  }

  /** Until when webhooks are kept. */
  Stream<Instant> lastTimes() {
    return registered.values().stream().map(each -> each.lastSeen().plus(KEPT));
  }

  /**
   * Whether the contract does not say what these are owed: a webhook that is forgotten may be kept a while, so that an
   * end of before is recorded for it, and a clock that is behind takes no time from it.
   */
  boolean isOpen(Collection<String> webhookIds) {
    return webhookIds.stream().anyMatch(open::contains);
  }

  /** "Each end … that fits has a delivery"; "a webhook that nobody registers for longer than KEPT gets no more." */
  void ended(JobData job) {
    Instant end = JobDelivery.endOf(job);
    forgotten.forEach((id, before) -> {
      if (before.isToldOf(job, end)) {
        open.add(id);
      }
    });
    registered.forEach((id, each) -> {
      if (each.isToldOf(job, end)) {
        owed.add(new Owed(jobs.names.make("delivery"), id, job, end));
      }
    });
  }

  @Override
  public Future<Void> registerWebhooks(RegisterJobWebhooks command) {
    return JobModelReads.answer(() -> {
      JobChecks.check(command);
      command.webhooks().forEach((id, filter) -> register(id, filter, command.now()));
      registered.entrySet().removeIf(each -> {
        boolean old = each.getValue().lastSeen().isBefore(command.now().minus(KEPT));
        if (old) {
          forgotten.put(each.getKey(), each.getValue());
        }
        return old;
      });
      owed.removeIf(each -> !registered.containsKey(each.webhookId));
      return null;
    });
  }

  private void register(String id, JobEndFilter filter, Instant now) {
    Registered gone = forgotten.remove(id);
    if (gone != null && now.isBefore(gone.lastSeen())) {
      open.add(id);
    }
    registered.merge(id, new Registered(filter, now), Registered::followedBy);
  }

  /** "Those that are due longest first": which of those that are due since one instant, is the store's choice. */
  @Override
  public Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command) {
    return JobModelReads.answer(() -> {
      JobChecks.check(command);
      Stream<Owed> due = owed.stream()
          .filter(each -> command.webhookIds().contains(each.webhookId))
          .filter(each -> !each.due.isAfter(command.now()));
      return jobs.ranked(due, DUE_LONGEST_FIRST, 0, command.limit(), this::isShownAs).stream()
          .map(each -> each.claimed(command))
          .toList();
    });
  }

  /** "Of those that the token does not hold any more, nothing changes." */
  @Override
  public Future<Void> finishDeliveries(FinishJobDeliveries command) {
    return JobModelReads.answer(() -> {
      JobChecks.check(command);
      for (FinishJobDeliveries.Outcome outcome : command.outcomes()) {
        owed.stream()
            .filter(each -> each.id.equals(outcome.deliveryId()))
            .filter(each -> command.token().equals(each.token))
            .findFirst()
            .ifPresent(each -> finish(each, outcome.retryAt()));
      }
      return null;
    });
  }

  private void finish(Owed held, @Nullable Instant retryAt) {
    if (retryAt == null) {
      owed.remove(held);
    } else {
      held.due = retryAt;
      held.token = null;
    }
  }

  private boolean isShownAs(Owed mine, Object shown) {
    if (!(shown instanceof JobDelivery theirs)) {
      return false;
    }
    return jobs.names
        .inStorage(mine.id)
        .map(theirs.id()::equals)
        .orElseGet(() -> !jobs.names.isShown("delivery", theirs.id())
            && mine.told(theirs.id(), jobIn(theirs, mine.job.id())).equals(theirs));
  }

  /** What the delivery calls the job, where that may be this one: nobody may have shown its id before. */
  private String jobIn(JobDelivery theirs, String id) {
    String shown = theirs.job().jobId();
    return Names.isMade(id)
        ? jobs.names.inStorage(id).orElse(jobs.names.isShown("job", shown) ? id : shown)
        : id;
  }

  private record Registered(JobEndFilter filter, Instant lastSeen) {
    boolean isToldOf(JobData job, Instant end) {
      return filter.admits(job) && !end.isAfter(lastSeen.plus(KEPT));
    }

    /** "In place of what was said before"; a clock that is behind takes no time. */
    Registered followedBy(Registered next) {
      return next.lastSeen.isBefore(lastSeen) ? new Registered(next.filter, lastSeen) : next;
    }
  }

  /** One end and one webhook. */
  private static final class Owed {
    final String id;
    final String webhookId;
    final JobData job; // as it ended
    Instant due; // its end, the end of its claim, or when it is tried again

    @Nullable
    String token;

    private final Instant end;
    private int tries;

    Owed(String id, String webhookId, JobData job, Instant end) {
      this.id = id;
      this.webhookId = webhookId;
      this.job = job;
      this.end = end;
      this.due = end;
    }

    JobDelivery claimed(ClaimJobDeliveries command) {
      JobDelivery claimed = told(id, job.id());
      tries++;
      due = command.now().plus(command.claimFor());
      token = command.token();
      return claimed;
    }

    /** As it is told when it is claimed next. */
    JobDelivery told(String deliveryId, String jobId) {
      return new JobDelivery(
          deliveryId,
          webhookId,
          new JobRef(job.queueName(), jobId),
          job.name(),
          job.state(),
          job.createdAt(),
          end,
          job.attemptsMade(),
          job.cancelledAt() != null,
          tries + 1);
    }
  }
}
