package dev.runlane.connector.controller;

import dev.runlane.connector.controller.registry.ConnectorFolder;
import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.controller.registry.EnvironmentSecrets;
import dev.runlane.connector.controller.registry.ManifestChoices;
import dev.runlane.connector.process.OwnEnvironment;
import dev.runlane.connector.process.os.ProcessIdentity;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.run.request.RunObservers;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.CancelOutcome;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.run.ContractDefaults;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Identifiers;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.timing.BlockingCalls;
import dev.runlane.timing.SweepLoop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs connectors for their owner. A run is accepted here, launched by the task this controller brings into the
 * runtime, and followed to its one terminal event; what happens to it is read from the timeline.
 *
 * <pre>{@code
 * var controller = new ConnectorController(vertx, parts, options);
 * var runlane = Runlane.builder(vertx, lane).queue(controller.queue()).task(controller.task()).build();
 * controller.start(runlane); // after the runtime; then its workers
 * }</pre>
 *
 * <p>Safe for use by any thread but for start and close, which belong to one context.
 */
public final class ConnectorController {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectorController.class);
  private static final String TASK = "connectors.run";
  private static final String SECRETS_NAME = "runlane-secrets";
  private static final int SECRETS_CALLS = 16;
  private static final Duration CREATED_WITHIN = Duration.ofMinutes(5);
  private static final int TOKEN_PREFIX = "tok_".length();

  private final ConnectorControllerParts parts;
  private final ConnectorStore store;
  private final ControllerProcess self;
  private final LiveRuns live = new LiveRuns();
  private final Set<String> admitted = ConcurrentHashMap.newKeySet(); // being accepted
  private final CancelRequests cancels;
  private final AbandonedRuns abandoned;
  private final UnclaimedRuns unclaimed;
  private final MissingConnectors missing;
  private final ManifestChoices manifests;
  private final SourceCooldown cooldown;
  private final TaskQueue queue;
  private final Task<ConnectorRunPayload> task;
  private final HttpClient devTools;
  private final LaunchSecrets secrets;
  private final PeerAddresses peers;
  private final SweepLoop reconciliation;

  private volatile @Nullable Runlane runlane;

  /** A controller that has not started, and whose runs nobody watches. */
  public ConnectorController(
      Vertx vertx, ConnectorControllerParts parts, ConnectorControllerOptions options) {
    this(vertx, parts, options, RunObservers.NONE);
  }

  /**
   * A controller that has not started.
   *
   * @param observers who watches the runs that this process launches
   */
  public ConnectorController(
      Vertx vertx,
      ConnectorControllerParts parts,
      ConnectorControllerOptions options,
      RunObservers observers) {
    this.parts = parts;
    store = parts.store();
    self = process(parts, options);
    RunEvents events = new RunEvents(parts.clock(), parts.ids());
    cancels = new CancelRequests(store, live, events);
    LostRuns lost = new LostRuns(store);
    abandoned = new AbandonedRuns(parts, self, events, lost);
    unclaimed = new UnclaimedRuns(store.timeline(), lost, live, events);
    missing = new MissingConnectors(parts.registries(), parts.clock(), parts.timers(), options);
    manifests = new ManifestChoices(parts.registries(), store.manifests(), parts.clock());
    cooldown = new SourceCooldown(store.history(), parts.clock(), options.getSourceCooldown());
    queue = TaskQueue.of(options.getQueue());
    devTools = vertx.createHttpClient();
    peers = new PeerAddresses(options.getPeers(), options.getAddress());
    warnOfPlainAddress(options.getAddress());
    secrets =
        new LaunchSecrets(parts.secrets(), BlockingCalls.of(vertx, SECRETS_NAME, SECRETS_CALLS));
    RunPreparation preparation = new RunPreparation(
        parts,
        secrets,
        options.getHostEnvironment(),
        address -> new DevToolsSurface(devTools, address));
    task = Task.define(TASK, ConnectorRunPayload.class)
        .queue(queue)
        .handler(new ConnectorRunTask(
            parts,
            self,
            preparation,
            missing,
            runId -> runtime().runs().get(runId),
            abandoned,
            lost,
            live,
            events,
            cancels,
            observers));
    reconciliation = new SweepLoop(
        parts.timers(),
        "connector runs",
        () -> reconcile().map(false),
        options.getReconcileInterval());
  }

  /** The queue connector runs wait in; to be registered in the runtime. */
  public TaskQueue queue() {
    return queue;
  }

  /** The task that launches connector runs; to be registered in the runtime. */
  public Task<?> task() {
    return task;
  }

  /**
   * Ends the runs of a dead predecessor and what it left of their children, and begins to accept runs. To be called
   * before the runtime's workers start. Takes the variables {@code RUNLANE_SECRET__*} out of the environment that the
   * kernel shows of this process, so that no child can read another's there; fails with {@code ConfigurationInvalid}
   * where it may not, and with {@code OperationCancelled} where the controller is closed meanwhile.
   *
   * @param newRunlane the runtime with this controller's queue and task, started
   */
  public Future<Void> start(Runlane newRunlane) {
    runlane = newRunlane;
    return parts
        .blocking()
        .run(ConnectorController::forgetSecrets)
        .compose(forgotten -> parts.processes().start())
        .compose(started -> abandoned.endAll())
        .map(ended -> {
          requireOpen();
          reconciliation.start();
          return null;
        });
  }

  private void requireOpen() {
    if (live.isClosed()) {
      throw RunlaneException.of(ErrorCode.OPERATION_CANCELLED, "the controller stops");
    }
  }

  /**
   * Ends the children of this process and writes what became of their runs. To be called once the runtime's workers
   * are undeployed: runs that they claim afterwards end as abandoned, other processes' runs among them. The runtime is
   * closed after it.
   */
  public Future<Void> close() {
    live.close();
    return reconciliation.stop().compose(stopped -> {
      List<Future<?>> ends = new ArrayList<>();
      live.all().forEach(run -> {
        run.run().abandon();
        ends.add(run.run().result());
      });
      return Future.join(ends)
          .onFailure(failure -> LOG.error("a connector run was not ended as it should", failure))
          .transform(ended -> parts.processes().close())
          .eventually(secrets::close)
          .eventually(devTools::close);
    });
  }

  /**
   * Accepts a run: from then on its handle resolves, and it is launched by whichever process of the runtime comes
   * first, of those that have its connector. Fails with {@code ValidationFailed} for a scope or resources the connector
   * does not have, and with {@code OperationCancelled} once the controller is being closed.
   */
  public Future<StartOutcome> start(RunRequest request) {
    if (parts.registries().describe(request.connectorId()).isEmpty()) {
      return Future.succeededFuture(new StartOutcome.NotRunnable());
    }
    return manifests.fingerprint(request.connectorId()).compose(fingerprint -> {
      Optional<ConnectorFolder> connector =
          parts.registries().resolve(request.connectorId(), fingerprint);
      if (connector.isEmpty()) {
        return Future.succeededFuture(new StartOutcome.NotRunnable());
      }
      requireOpen();
      RunPreparation.check(connector.get(), request);
      return cooldown
          .of(request)
          .compose(until -> until.isPresent()
              ? Future.succeededFuture(new StartOutcome.CoolingDown(until.get()))
              : admit(request, fingerprint, connector.get()));
    });
  }

  /**
   * Cancels exactly one run: the request is stored and passed to whoever has the child. Asked again it is accepted
   * again, with no second event.
   *
   * @param requestId the request, for the timeline, or null
   */
  public Future<CancelOutcome> cancel(String runId, @Nullable String requestId) {
    return cancels
        .request(runId, requestId)
        .compose(outcome -> outcome instanceof CancelOutcome.Accepted accepted
            ? cancelDurable(accepted.run()).map(outcome)
            : Future.succeededFuture(outcome));
  }

  /** Hands an owner's answer to the question it is for, or refuses it. Nothing of it is stored or logged. */
  public Future<AnswerResult> answer(String runId, InteractionAnswer answer) {
    return live.find(runId)
        .map(here -> here.run()
            .answer(answer.interactionId(), answer.status(), answer.data())
            .map(ConnectorController::result))
        .orElseGet(() -> answerElsewhere(runId));
  }

  /** What is known of a run, before, during and for ever after it; empty when there is and was no such run. */
  public Future<Optional<RunView>> find(String runId) {
    if (Identifiers.fault(runId, ContractDefaults.MAX_ID_BYTES).isPresent()) {
      return Future.succeededFuture(Optional.empty());
    }
    return store
        .activeRuns()
        .find(runId)
        .compose(row -> store.timeline().bounds(runId).map(bounds -> RunView.of(row, bounds)));
  }

  /**
   * The last lines that the child of a run wrote on its standard error, redacted; empty when the child is not this
   * process's.
   */
  public Optional<List<String>> stderr(String runId) {
    return live.find(runId).map(LiveRun::stderr);
  }

  /** The timelines of all runs. */
  public RunTimeline timeline() {
    return store.timeline();
  }

  /** Where this controller's runs are kept. */
  public ConnectorStore store() {
    return store;
  }

  /** Which of the manifests of a connector the owner has in use. */
  public ManifestChoices manifests() {
    return manifests;
  }

  /** Which connectors there are. */
  public ConnectorRegistries registries() {
    return parts.registries();
  }

  private Future<StartOutcome> admit(
      RunRequest request, Optional<String> fingerprint, ConnectorFolder connector) {
    Runlane runtime = runtime();
    String runId = parts.ids().runId();
    BeginRun begin = new BeginRun(
        new RunIdentity(runId, newTraceId(), ConnectorRef.of(request.connectorId())),
        request.trigger(),
        request.grantId(),
        request.scheduleClaim(),
        self,
        parts.clock().now());
    ConnectorRunPayload payload = ConnectorRunPayload.of(request, fingerprint, connector);
    admitted.add(runId);
    return parts
        .admission()
        .admit(begin, runtime, triggers -> triggers
            .trigger(task, payload, new TriggerOptions().setRunId(runId))
            .mapEmpty())
        .onComplete(tried -> admitted.remove(runId))
        .map(outcome -> {
          if (outcome instanceof BeginOutcome.Begun begun) {
            runtime.wake();
            return new StartOutcome.Started(begun.run());
          }
          return outcome instanceof BeginOutcome.AlreadyActive active
              ? new StartOutcome.AlreadyActive(active.runId())
              : new StartOutcome.ClaimLost();
        });
  }

  /** Reaches the child wherever it is; a run that nobody has begun ends here. */
  private Future<Void> cancelDurable(ActiveRun run) {
    String runId = run.run().runId();
    return runtime()
        .runs()
        .cancel(runId, RunActionOptions.by("owner"))
        .map(Optional::of)
        .recover(failure -> {
          LOG.debug("run {} was not cancelled on its lease: {}", runId, failure.toString());
          return runtime().runs().get(runId);
        })
        .compose(record -> unclaimed.settle(run, record));
  }

  private static AnswerResult result(AnswerOutcome outcome) {
    return switch (outcome) {
      case DELIVERED -> new AnswerResult.Accepted();
      case NO_PENDING_INTERACTION -> new AnswerResult.NoPendingInteraction();
      case INTERACTION_ID_MISMATCH -> new AnswerResult.InteractionMismatch();
    };
  }

  private Future<AnswerResult> answerElsewhere(String runId) {
    if (Identifiers.fault(runId, ContractDefaults.MAX_ID_BYTES).isPresent()) {
      return Future.succeededFuture(new AnswerResult.RunNotFound());
    }
    return store.activeRuns().find(runId).map(row -> {
      if (row.isEmpty()) {
        return new AnswerResult.RunNotFound();
      }
      ControllerProcess owner = row.get().controller();
      String address = owner.address();
      if (address == null || owner.controllerId().equals(self.controllerId())) {
        return new AnswerResult.NoPendingInteraction();
      }
      if (peers.isKnown(address)) {
        return new AnswerResult.Elsewhere(address);
      }
      LOG.warn(
          "an answer to run {} is not handed on: its process is at {}, which peers does not allow",
          runId,
          address);
      return new AnswerResult.NoPeer();
    });
  }

  /** Others are most likely reached as this one is. */
  private void warnOfPlainAddress(@Nullable String own) {
    if (own != null && !peers.isKnown(own)) {
      LOG.warn(
          "answers are handed on to other processes without encryption only where peers allows it,"
              + " as http://HOST: at {} no process gets any",
          own);
    }
  }

  /** Runs of dead processes, runs whose durable owner has ended without them, and those that others gave back. */
  private Future<Void> reconcile() {
    return abandoned.endAll().compose(ended -> store.activeRuns().list()).compose(rows -> {
      Future<Void> settled = Future.succeededFuture();
      for (ActiveRun row : rows) {
        settled = settled.compose(before -> settle(row).recover(failure -> {
          LOG.warn("run {} could not be looked at, it is again soon", row.run().runId(), failure);
          return Future.succeededFuture();
        }));
      }
      return settled;
    });
  }

  private Future<Void> settle(ActiveRun row) {
    String runId = row.run().runId();
    boolean own = row.controller().controllerId().equals(self.controllerId());
    boolean created =
        !admitted.contains(runId); // looked at first: what is created by now is seen below
    return runtime().runs().get(runId).compose((Optional<RunRecord> record) -> {
      record.ifPresent(durable -> missing.claimWhenDue(row, durable, this::wake));
      if (record.isEmpty() && (own ? created : isLeftUncreated(row))) {
        return unclaimed.endUncreated(row);
      }
      return cancelChild(row, record).compose(told -> unclaimed.settle(row, record));
    });
  }

  /** Whoever creates a run has done so long before; who died in between on another machine does not come back. */
  private boolean isLeftUncreated(ActiveRun row) {
    return row.startedAt().plus(CREATED_WITHIN).isBefore(parts.clock().now());
  }

  private void wake() {
    if (!live.isClosed()) {
      runtime().wake();
    }
  }

  /** A cancellation that was accepted elsewhere reaches the child here, even where the message of it was lost. */
  private Future<?> cancelChild(ActiveRun row, Optional<RunRecord> record) {
    String runId = row.run().runId();
    boolean wanted = row.cancelRequestedAt() != null
        || record
            .filter(durable -> durable.status() == RunStatus.CANCELLATION_REQUESTED)
            .isPresent();
    return wanted && live.find(runId).isPresent()
        ? cancels.request(runId, null)
        : Future.succeededFuture();
  }

  private static boolean forgetSecrets() {
    OwnEnvironment.forget(EnvironmentSecrets.PREFIX);
    return true;
  }

  private Runlane runtime() {
    if (runlane == null) {
      throw new IllegalStateException("the controller has not been started");
    }
    return runlane;
  }

  private String newTraceId() {
    return "trc_" + parts.ids().token().substring(TOKEN_PREFIX);
  }

  private static ControllerProcess process(
      ConnectorControllerParts parts, ConnectorControllerOptions options) {
    ProcessIdentity self = parts.processes().self();
    return new ControllerProcess(
        "ctl_" + parts.ids().token().substring(TOKEN_PREFIX),
        self.host(),
        self.bootId(),
        self.pid(),
        self.startTicks(),
        options.getAddress());
  }
}
