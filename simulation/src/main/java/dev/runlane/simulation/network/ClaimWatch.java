package dev.runlane.simulation.network;

import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.schedule.ClaimedOccurrence;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The line of one life of a process, which remembers what the storage let it claim over it. */
public final class ClaimWatch implements Line {
  private final Line line;
  private final LongSupplier now;
  private @Nullable Claimed awaited;
  private Runnable action = () -> {};
  private final Map<String, Claim<ClaimedOutboxMessage>> messages = new LinkedHashMap<>();
  private final Map<String, Claim<ClaimedOccurrence>> occurrences = new LinkedHashMap<>();

  /**
   * @param line carries the calls
   * @param now microseconds of true time
   */
  public ClaimWatch(Line line, LongSupplier now) {
    this.line = line;
    this.now = now;
  }

  /** Calls back once, in the moment in which the storage lets this life claim such a thing. */
  public void onNext(Claimed what, Runnable callback) {
    awaited = what;
    action = callback;
  }

  /** The last claim of each message that was claimed since then. */
  public List<ClaimedOutboxMessage> messagesSince(long micros) {
    return since(messages, micros);
  }

  /** The last claim of each occurrence of a schedule that was claimed since then. */
  public List<ClaimedOccurrence> occurrencesSince(long micros) {
    return since(occurrences, micros);
  }

  private static <T> List<T> since(Map<String, Claim<T>> claims, long micros) {
    return claims.values().stream()
        .filter(claim -> claim.at() >= micros)
        .map(Claim::what)
        .toList();
  }

  @Override
  public Future<?> call(String method, Supplier<Future<?>> execute) {
    return line.call(method, () -> execute.get().onSuccess(this::note));
  }

  @Override
  public <T> Consumer<T> pushes(Consumer<T> listener) {
    return line.pushes(listener);
  }

  private void note(Object answer) {
    if (answer instanceof ClaimedRuns claimed && !claimed.runs().isEmpty()) {
      happened(Claimed.RUN);
    } else if (answer instanceof List<?> all) {
      all.forEach(each -> {
        if (each instanceof ClaimedOutboxMessage claimed) {
          messages.put(claimed.id(), new Claim<>(claimed, now.getAsLong()));
          happened(Claimed.MESSAGE);
        }
      });
    } else if (answer instanceof Optional<?> one
        && one.isPresent()
        && one.get() instanceof ClaimedOccurrence claimed) {
      occurrences.put(claimed.occurrenceId(), new Claim<>(claimed, now.getAsLong()));
      happened(Claimed.FIRE);
    }
  }

  private void happened(Claimed what) {
    if (what == awaited) {
      awaited = null;
      action.run();
    }
  }

  /** What can be claimed. */
  public enum Claimed {
    /** A run, with others. */
    RUN,
    /** A message of the outbox. */
    MESSAGE,
    /** A fire of a schedule. */
    FIRE;

    /** In the order of their numbers, which seeds draw. */
    public static final List<Claimed> ALL = List.of(values());
  }

  private record Claim<T>(T what, long at) {}
}
