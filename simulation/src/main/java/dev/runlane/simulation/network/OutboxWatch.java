package dev.runlane.simulation.network;

import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.outbox.ClaimOutboxMessages;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.MarkOutboxMessagesDeadLettered;
import dev.runlane.storage.outbox.MarkOutboxMessagesFailed;
import dev.runlane.storage.outbox.MarkOutboxMessagesPublished;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands in front of the storage and holds the outbox to its promises: a message is claimed while it is due and nobody
 * else has it, not again before the instant that its last failure named, and never once it was published or given up,
 * unless an operator has it published again; and nobody but who has claimed it says what became of it.
 */
public final class OutboxWatch implements Line {
  private final Line next;
  private final Consumer<Violation> found;
  private final Map<String, Known> messages = new HashMap<>();
  private boolean hasForgotten;

  /** @param next what all calls go through */
  public OutboxWatch(Line next, Consumer<Violation> found) {
    this.next = next;
    this.found = found;
  }

  /** What was known is not so any more, since another storage has taken over. */
  public void forget() {
    messages.clear();
    hasForgotten = true;
  }

  @Override
  public Future<?> call(String method, Supplier<Future<?>> execute) {
    return call(method, null, execute);
  }

  @Override
  public Future<?> call(String method, @Nullable Object command, Supplier<Future<?>> execute) {
    Future<?> done = next.call(method, command, execute);
    if (command instanceof MarkOutboxMessagesPublished mark) {
      mark.messages()
          .forEach(
              each -> marked(done, each.outboxMessageId(), each.claimToken(), Known.settled()));
    } else if (command instanceof MarkOutboxMessagesDeadLettered mark) {
      mark.messages()
          .forEach(
              each -> marked(done, each.outboxMessageId(), each.claimToken(), Known.settled()));
    } else if (command instanceof MarkOutboxMessagesFailed mark) {
      mark.messages()
          .forEach(each -> marked(
              done,
              each.outboxMessageId(),
              each.claimToken(),
              Known.waiting(each.nextAvailableAt() == null ? mark.now() : each.nextAvailableAt())));
    } else if (done.succeeded()) {
      look(command, done.result());
    }
    return done;
  }

  @Override
  public <T> Consumer<T> pushes(Consumer<T> listener) {
    return next.pushes(listener);
  }

  private void look(@Nullable Object command, @Nullable Object answer) {
    if (command instanceof ClaimOutboxMessages claim && answer instanceof List<?> all) {
      if (all.size() > claim.limit()) {
        broken("the outbox", all.size() + " messages were claimed where " + claim.limit() + " are");
      }
      all.forEach(each -> claimed((ClaimedOutboxMessage) each, claim));
    } else if (answer instanceof AppendedRun appended) {
      appended.claimedOutbox().forEach(this::claimedAtOnce);
    } else if (answer instanceof List<?> all) {
      for (Object each : all) {
        if (each instanceof CommandOutcome.Succeeded<?> one
            && one.result() instanceof AppendedRun appended) {
          appended.claimedOutbox().forEach(this::claimedAtOnce);
        } else if (command instanceof RedriveOutbox redrive && each instanceof String id) {
          messages.put(id, Known.waiting(redrive.now()));
        }
      }
    }
  }

  private void claimedAtOnce(ClaimedOutboxMessage message) {
    messages.put(message.id(), Known.claimed(message));
  }

  private void claimed(ClaimedOutboxMessage message, ClaimOutboxMessages command) {
    Instant now = command.now();
    Collection<String> wanted = command.outboxMessageIds();
    Known before = messages.put(message.id(), Known.claimed(message));
    Instant notBefore = before == null ? null : before.notBefore;
    if (wanted != null && !wanted.contains(message.id())) {
      broken(message, "is claimed at " + now + " by a command that names others");
    } else if (message.availableAt().isAfter(now)) {
      broken(message, "is claimed at " + now + ", before it is available");
    } else if (before != null && notBefore == null) {
      broken(message, "is claimed at " + now + ", after it was published or given up");
    } else if (before != null && notBefore != null && notBefore.isAfter(now)) {
      broken(
          message,
          "is claimed at " + now + ", before " + notBefore
              + (before.token == null ? ", when it may be" : ", when another claim ends"));
    } else if (!message.claimExpiresAt().equals(now.plus(command.claimFor()))) {
      broken(message, "is claimed at " + now + ", and not for " + command.claimFor());
    }
  }

  /** All of the messages of a command change, or none. */
  private void marked(Future<?> done, String id, String token, Known after) {
    Known before = messages.get(id);
    if (done.succeeded()) {
      if (before == null ? !hasForgotten : !token.equals(before.token)) {
        broken(id, "was marked by somebody who has not claimed it, or not last");
      }
      messages.put(id, after);
    }
  }

  private void broken(ClaimedOutboxMessage message, String why) {
    broken(message.message().runId(), "message " + message.id() + " " + why);
  }

  private void broken(String subject, String why) {
    found.accept(new Violation(Rule.OUTBOX_CLAIM, subject, why));
  }

  /**
   * What is known of a message since it was claimed first.
   *
   * @param notBefore when it may be claimed again; null: never
   * @param token of the claim that is in force; null: none
   */
  private record Known(
      @Nullable Instant notBefore, @Nullable String token) {
    static Known claimed(ClaimedOutboxMessage message) {
      return new Known(message.claimExpiresAt(), message.claimToken());
    }

    static Known waiting(Instant until) {
      return new Known(until, null);
    }

    static Known settled() {
      return new Known(null, null);
    }
  }
}
