package dev.runlane.storage.memory.kept;

import static dev.runlane.run.StorageConflictKind.OUTBOX_CLAIM;

import dev.runlane.operator.outbox.ListOutbox;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.outbox.RedriveOutbox;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.run.Position;
import dev.runlane.storage.outbox.ClaimedOutboxMessage;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.Page;
import dev.runlane.transport.DeliveryMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The outbox messages of one environment. */
public final class Outbox {
  private static final Comparator<OutboxRow> LONGEST_DUE_FIRST =
      Comparator.comparing(OutboxRow::dueAt).thenComparing(OutboxRow::id, Identifiers.ORDER);

  private final Map<String, OutboxRow> rows = new HashMap<>();
  private final Map<String, List<String>> idsOfRuns = new HashMap<>();
  private final NavigableMap<Position, OutboxRow> waiting = new TreeMap<>(); // by availability
  private final NavigableMap<Position, OutboxRow> claimed = new TreeMap<>(); // by the claim's end

  /** Adds a message that nobody has claimed yet. */
  public OutboxRow add(
      String id, DeliveryMessage message, @Nullable String groupKey, Instant availableAt) {
    OutboxRow row = OutboxRow.pending(id, message, groupKey, availableAt);
    idsOfRuns.computeIfAbsent(message.runId(), run -> new ArrayList<>(1)).add(id);
    enter(row);
    return row;
  }

  /** Up to {@code limit} messages that are due at {@code now}, those due longest first; of {@code ids} where given. */
  List<OutboxRow> due(Instant now, int limit, @Nullable Collection<String> ids) {
    Stream<OutboxRow> candidates =
        ids == null ? dueOfAll(now, limit) : dueOf(new LinkedHashSet<>(ids), now);
    return candidates.sorted(LONGEST_DUE_FIRST).limit(limit).toList();
  }

  /** A run's messages, oldest delivery request first. */
  public List<OutboxRow> of(String runId) {
    return idsOfRuns.getOrDefault(runId, List.of()).stream()
        .flatMap(id -> Stream.ofNullable(rows.get(id)))
        .toList();
  }

  /** Gives a message that is due to the claim. */
  public ClaimedOutboxMessage claim(OutboxRow row, OutboxRow.Claim claim) {
    replace(row, row.claimed(claim));
    return row.toClaimed(claim);
  }

  /** Changes all of the messages, or fails and changes none, because one is not claimed with its token. */
  <M> void mark(
      List<M> marks,
      Function<M, String> id,
      Function<M, String> token,
      Function<M, UnaryOperator<OutboxRow>> change) {
    for (M mark : marks) {
      requireClaimed(id.apply(mark), token.apply(mark));
    }
    for (M mark : marks) {
      OutboxRow row = rows.get(id.apply(mark));
      if (row != null && row.isClaimedWith(token.apply(mark))) { // else named twice
        replace(row, change.apply(mark).apply(row));
      }
    }
  }

  /** Messages that are not published. */
  public Stream<OutboxRow> kept() {
    return rows.values().stream().filter(row -> row.status() != OutboxMessageStatus.PUBLISHED);
  }

  /** A page of the messages of a status. */
  public Page<OutboxEntry> list(ListOutbox query) {
    Cursors cursors = Cursors.of(query);
    String after = cursors.decode(query.cursor(), 1).map(parts -> parts.get(0)).orElse("");
    return Pages.of(
        sorted(row -> row.status() == query.status())
            .filter(row -> Identifiers.ORDER.compare(row.id(), after) > 0)
            .map(OutboxRow::toEntry),
        query.limit(),
        last -> cursors.encode(last.id()));
  }

  /** Has given-up messages published again; answers which. */
  public List<String> redrive(RedriveOutbox command) {
    List<OutboxRow> found = sorted(row -> isRedrivable(row, command.messageIds()))
        .limit(command.limit())
        .toList();
    found.forEach(row -> replace(row, row.redriven(command.now())));
    return found.stream().map(OutboxRow::id).toList();
  }

  private static boolean isRedrivable(OutboxRow row, @Nullable Collection<String> ids) {
    return ids == null
        ? row.status() == OutboxMessageStatus.DEAD_LETTERED
        : ids.contains(row.id())
            && (row.status() == OutboxMessageStatus.DEAD_LETTERED
                || row.status() == OutboxMessageStatus.FAILED);
  }

  private Stream<OutboxRow> sorted(Predicate<OutboxRow> wanted) {
    return rows.values().stream()
        .filter(wanted)
        .sorted(Comparator.comparing(OutboxRow::id, Identifiers.ORDER));
  }

  /** Forgets a run's messages, whatever their status. */
  public void removeOf(String runId) {
    List<String> ids = idsOfRuns.remove(runId);
    for (String id : ids == null ? List.<String>of() : ids) {
      OutboxRow row = rows.get(id);
      if (row != null) {
        leave(row);
      }
    }
  }

  private Stream<OutboxRow> dueOfAll(Instant now, int limit) {
    return Stream.concat(
        waiting.headMap(Position.justAfter(now), false).values().stream().limit(limit),
        claimed.headMap(Position.justAfter(now), false).values().stream().limit(limit));
  }

  private Stream<OutboxRow> dueOf(Set<String> ids, Instant now) {
    return ids.stream()
        .flatMap(id -> Stream.ofNullable(rows.get(id)))
        .filter(row -> row.isDueAt(now));
  }

  private void requireClaimed(String id, String token) {
    OutboxRow row = rows.get(id);
    if (row == null || !row.isClaimedWith(token)) {
      throw RunlaneException.conflict(
          OUTBOX_CLAIM,
          "outbox message %s is %s and not claimed with the caller's token",
          id,
          row == null ? "unknown" : row.status().value());
    }
  }

  private void replace(OutboxRow before, OutboxRow after) {
    leave(before);
    enter(after);
  }

  private void enter(OutboxRow row) {
    rows.put(row.id(), row);
    switch (row.status()) {
      case PENDING, FAILED -> waiting.put(new Position(row.availableAt(), row.id()), row);
      case CLAIMED -> claimed.put(claimEnd(row), row);
      case PUBLISHED, DEAD_LETTERED -> {}
    }
  }

  private void leave(OutboxRow row) {
    rows.remove(row.id());
    switch (row.status()) {
      case PENDING, FAILED -> waiting.remove(new Position(row.availableAt(), row.id()));
      case CLAIMED -> claimed.remove(claimEnd(row));
      case PUBLISHED, DEAD_LETTERED -> {}
    }
  }

  private static Position claimEnd(OutboxRow row) {
    OutboxRow.Claim claim = row.claim();
    if (claim == null) {
      throw new IllegalStateException("outbox message " + row.id() + " is claimed by nobody");
    }
    return new Position(claim.expiresAt(), row.id());
  }
}
