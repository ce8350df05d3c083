package dev.runlane.connector.store.memory;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.grant.Grants;
import dev.runlane.connector.store.history.RunHistory;
import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.manifest.ActiveManifests;
import dev.runlane.connector.store.record.ConnectorStates;
import dev.runlane.connector.store.record.EditOutcome;
import dev.runlane.connector.store.record.FlushedStream;
import dev.runlane.connector.store.record.LastBatch;
import dev.runlane.connector.store.record.RecordReads;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredCursor;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.connector.store.run.RunEnds;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.AppendOutcome;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A connector store in the memory of one process, for a run in the foreground and for tests. It keeps everything for
 * as long as it lives and promises what the interfaces promise, but for surviving the process. Safe for use by any
 * thread; its futures are done when a method returns.
 */
public final class MemoryConnectorStore implements ConnectorStore {
  private final MemoryTimelines timelines = new MemoryTimelines(this);
  private final MemoryHistory history = new MemoryHistory(this);
  private final MemoryRuns runs = new MemoryRuns(this, timelines, history);
  private final MemoryRecordSink records = new MemoryRecordSink(this);
  private final MemoryStates states = new MemoryStates();
  private final MemoryGrants grants = new MemoryGrants();
  private final MemoryManifests manifests = new MemoryManifests();

  /** An empty store. */
  public MemoryConnectorStore() {}

  @Override
  public RecordSink sink() {
    return records;
  }

  /** The records that the sink keeps. */
  public RecordReads records() {
    return records;
  }

  @Override
  public RunTimeline timeline() {
    return timelines;
  }

  @Override
  public ActiveRuns activeRuns() {
    return runs;
  }

  @Override
  public RunEnds runEnds() {
    return runs;
  }

  @Override
  public RunHistory history() {
    return history;
  }

  @Override
  public Grants grants() {
    return grants;
  }

  @Override
  public ConnectorStates states() {
    return states;
  }

  @Override
  public ActiveManifests manifests() {
    return manifests;
  }

  <T> T locked(Supplier<T> work) {
    synchronized (this) { // one lock for all sides: what one stores the others see whole
      return work.get();
    }
  }

  AppendOutcome append(AppendEvents command) {
    return runs.append(command);
  }

  boolean isMissing(RunFence fence, LastBatch taken) {
    return records.isMissing(fence, taken);
  }

  List<FlushedStream> flushed(RunFence fence) {
    return records.flushed(fence);
  }

  /** The active run that has this fence. */
  Optional<ActiveRun> current(RunFence fence) {
    return runs.current(fence);
  }

  Optional<SinkFailure> grantRefusal(ActiveRun run, SinkFailure.Phase phase, Instant now) {
    String grantId = run.grantId();
    if (grantId == null) {
      return Optional.empty();
    }
    return Optional.ofNullable(grants.grants.get(grantId))
        .map(grant -> grant.refusal(run.run().connector().instanceId(), now))
        .orElse(Optional.of(SinkFailure.GRANT_INVALID))
        .map(code -> SinkFailure.ofGrant(code, phase));
  }

  void commit(ActiveRun run, StagedCursor cursor, Instant now) {
    states
        .of(new StateScope(run.run().connector(), run.grantId()))
        .put(
            cursor.stream(),
            new StoredCursor(
                cursor.stream(),
                cursor.cursor(),
                run.run().runId(),
                cursor.recordsAccepted(),
                now));
  }

  void consumeGrant(ActiveRun run) {
    String grantId = run.grantId();
    if (grantId != null) {
      Grant grant = grants.grants.get(grantId);
      if (grant != null && grant.accessMode() == GrantAccessMode.SINGLE_USE) {
        grants.changed(grantId, used -> in(used, GrantState.CONSUMED));
      }
    }
  }

  private static Grant in(Grant grant, GrantState state) {
    return new Grant(
        grant.grantId(), grant.instanceId(), grant.accessMode(), state, grant.expiresAt());
  }

  private final class MemoryStates implements ConnectorStates {
    private final Map<StateScope, Map<String, StoredCursor>> cursors = new HashMap<>();

    Map<String, StoredCursor> of(StateScope scope) {
      return cursors.computeIfAbsent(scope, created -> new TreeMap<>());
    }

    @Override
    public Future<Map<String, StoredCursor>> show(StateScope scope) {
      return AdapterCall.of("show", () -> {
        StoreChecks.requireScope(scope);
        return Future.succeededFuture(locked(() -> new LinkedHashMap<>(of(scope))));
      });
    }

    @Override
    public Future<EditOutcome> edit(StateScope scope, String stream, Json cursor, Instant now) {
      return AdapterCall.of("edit", () -> {
        StoreChecks.requireEdit(scope, stream, cursor);
        return Future.succeededFuture(locked(() -> unlessActive(scope, () -> {
          of(scope).put(stream, new StoredCursor(stream, cursor, null, 0, now));
          return new EditOutcome.Edited();
        })));
      });
    }

    @Override
    public Future<EditOutcome> reset(StateScope scope, String stream) {
      return AdapterCall.of("reset", () -> {
        StoreChecks.requireScope(scope);
        StoreChecks.requireStream(stream);
        return Future.succeededFuture(locked(() -> unlessActive(
            scope,
            () -> of(scope).remove(stream) == null
                ? new EditOutcome.NotFound()
                : new EditOutcome.Edited())));
      });
    }

    private EditOutcome unlessActive(StateScope scope, Supplier<EditOutcome> change) {
      Optional<ActiveRun> active = runs.activeOf(scope.connector().instanceId());
      return active.isPresent()
          ? new EditOutcome.RunActive(active.get().run().runId())
          : change.get();
    }
  }

  private final class MemoryGrants implements Grants {
    /** In the order in which they changed. */
    private final Map<String, Grant> grants = new LinkedHashMap<>();

    private @Nullable Grant changed(String grantId, UnaryOperator<Grant> change) {
      Grant before = grants.remove(grantId);
      if (before != null) {
        grants.put(grantId, change.apply(before));
      }
      return before;
    }

    @Override
    public Future<Void> put(Grant grant, Instant now) {
      return AdapterCall.of("put", () -> {
        StoreChecks.requireGrant(grant);
        locked(() -> {
          grants.remove(grant.grantId());
          return grants.put(grant.grantId(), grant);
        });
        return Future.succeededFuture();
      });
    }

    @Override
    public Future<Optional<Grant>> find(String grantId) {
      return Future.succeededFuture(locked(() -> Optional.ofNullable(grants.get(grantId))));
    }

    @Override
    public Future<List<Grant>> ofConnection(String instanceId, int limit) {
      return AdapterCall.of("ofConnection", () -> {
        StoreChecks.requireInstance(instanceId);
        StoreChecks.requireLimit(limit, MOST_LISTED);
        List<Grant> changedLast = new ArrayList<>(locked(() -> grants.values().stream()
            .filter(grant -> grant.instanceId().equals(instanceId))
            .toList()));
        Collections.reverse(changedLast);
        return Future.succeededFuture(
            List.copyOf(changedLast.subList(0, Math.min(limit, changedLast.size()))));
      });
    }

    @Override
    public Future<Boolean> revoke(String grantId, Instant now) {
      return Future.succeededFuture(
          locked(() -> changed(grantId, grant -> in(grant, GrantState.REVOKED)) != null));
    }
  }
}
