package dev.runlane.connector.process;

import dev.runlane.connector.process.line.DecodingPermits;
import dev.runlane.connector.process.os.HostProcesses;
import dev.runlane.connector.process.os.ProcFiles;
import dev.runlane.connector.process.os.ProcessIdentity;
import dev.runlane.connector.process.os.ProcessStat;
import dev.runlane.connector.process.os.ProcessTree;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Starts children for one controller, and sees to it that none outlives it: not its stop, and not its being
 * killed, for which a guard process stands by. Safe for use by any thread. It is closed before its Vert.x is.
 */
public final class ChildProcesses {
  private static final int WORKERS = 4;

  /** Says that it stands by one byte, waits for a line, and becomes the program; ends if the controller dies first. */
  private static final String GATE = "echo; read -r go || exit 125; exec \"$@\"";

  private final Vertx vertx;
  private final Timers timers;
  private final ChildProcessOptions options;
  private final Consumer<Thread> threadStarter;
  private final WorkerExecutor workers;
  private final HostProcesses host;
  private final ProcessIdentity self;
  private final Guard guard;
  private final DecodingPermits permits = new DecodingPermits();
  private final Set<ChildProcess<?>> live = ConcurrentHashMap.newKeySet();

  // Guarded by this.
  private final Set<Future<Void>> underWay = new HashSet<>(); // launches and searches
  private @Nullable Future<Void> closed;

  /**
   * Children of this process. Reads a few files. Throws {@code ConfigurationInvalid} where there is no {@code
   * /proc}.
   *
   * @param timers act on the context that sets them
   */
  public ChildProcesses(Vertx vertx, Timers timers, ChildProcessOptions options) {
    this(vertx, timers, options, Thread::start);
  }

  ChildProcesses(
      Vertx vertx, Timers timers, ChildProcessOptions options, Consumer<Thread> threadStarter) {
    this.threadStarter = threadStarter;
    this.vertx = vertx;
    this.timers = timers;
    this.options = new ChildProcessOptions(options);
    workers = vertx.createSharedWorkerExecutor("runlane-child-processes", WORKERS);
    host = HostProcesses.here();
    self = host.self();
    guard = new Guard(ChildMarks.startOfVariable(self));
  }

  /** Starts the guard. Fails with {@code ConfigurationInvalid} where {@code setsid} or {@code sh} are missing. */
  public Future<Void> start() {
    return admitted(() -> workers.executeBlocking(
        () -> {
          guard.start();
          return null;
        },
        false));
  }

  /** The controller's own process. */
  public ProcessIdentity self() {
    return self;
  }

  /** Distinguishes processes of this machine. */
  public HostProcesses host() {
    return host;
  }

  /**
   * Starts a child and answers it before its program begins, on the context of the caller, which becomes the
   * child's. Fails with {@code ConfigurationInvalid} for a program or a working directory that is not there, with
   * {@code InternalError} when the machine starts no process, and with {@code OperationCancelled} once these
   * children are being closed. After a failure nothing is left of it.
   */
  public <T> Future<ChildProcess<T>> launch(ChildLaunch<T> launch) {
    Context context = vertx.getOrCreateContext();
    return admitted(() -> workers
        .executeBlocking(() -> begin(launch), false)
        .compose(begun -> child(context, launch, begun))
        .compose(child -> isClosing()
            ? child.terminate().compose(gone -> Future.failedFuture(stopped()))
            : Future.succeededFuture(child)));
  }

  /**
   * Ends what a dead controller left of a run, on this machine. Completes with whether there was something.
   * Fails with {@code InvariantViolation} if that controller lives: its children are its own; and with {@code
   * OperationCancelled} once these children are being closed.
   *
   * @param controller the process that launched the run's child
   */
  public Future<Boolean> terminateOrphans(ProcessIdentity controller, String runId) {
    return admitted(() -> workers.executeBlocking(
        () -> {
          if (host.isAlive(controller)) {
            throw RunlaneException.invariantViolation(
                "the child of run %s belongs to process %d, which lives", runId, controller.pid());
          }
          return ProcessTree.killMarked(ChildMarks.variable(controller, runId));
        },
        false));
  }

  /**
   * Launches no more, asks all children to leave, waits until nothing is left of them, and lets the guard go. A
   * second call is the first.
   */
  public Future<Void> close() {
    Promise<Void> over = Promise.promise();
    List<Future<Void>> begun;
    synchronized (this) {
      if (closed != null) {
        return closed;
      }
      closed = over.future();
      begun = List.copyOf(underWay);
    }
    Future.join(begun)
        .transform(
            settled -> Future.join(live.stream().map(ChildProcess::abandon).toList()))
        .transform(ended -> workers.executeBlocking(
            () -> {
              guard.close();
              return null;
            },
            false))
        .eventually(workers::close)
        .<Void>mapEmpty()
        .onComplete(over);
    return over.future();
  }

  private synchronized boolean isClosing() {
    return closed != null;
  }

  /** Does what {@link #close} waits for, unless it is too late to begin it. */
  private <T> Future<T> admitted(Supplier<Future<T>> work) {
    Promise<Void> over = Promise.promise();
    synchronized (this) {
      if (closed != null) {
        return Future.failedFuture(stopped());
      }
      underWay.add(over.future());
    }
    return Future.<Void>succeededFuture().compose(begin -> work.get()).onComplete(ended -> {
      synchronized (this) {
        underWay.remove(over.future());
      }
      over.complete();
    });
  }

  private Begun begin(ChildLaunch<?> launch) throws IOException {
    if (isClosing()) {
      throw stopped();
    }
    Executables.require(launch.command());
    Process process = process(launch);
    try {
      ChildPipes pipes = ChildPipes.of(process);
      try {
        return atGate(process, pipes, launch.command().user());
      } catch (IOException | RuntimeException failure) {
        pipes.close();
        throw failure;
      }
    } catch (IOException | RuntimeException failure) {
      process.destroyForcibly();
      throw RunlaneException.of(
              ErrorCode.INTERNAL_ERROR,
              "the child of run %s could not be started: %s",
              launch.runId(),
              String.valueOf(failure.getMessage()))
          .causedBy(failure);
    }
  }

  private Process process(ChildLaunch<?> launch) {
    List<String> command =
        new ArrayList<>(List.of("setsid", "/bin/sh", "-c", GATE, "runlane-gate"));
    ChildUser user = launch.command().user();
    if (user != null) {
      command.addAll(UserSwitch.prefix(user));
    }
    command.addAll(launch.command().command());
    ProcessBuilder builder = new ProcessBuilder(command)
        .directory(launch.command().workingDirectory().toFile());
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.putAll(launch.command().environment());
    environment.put(ChildEnvironment.MARKER, ChildMarks.value(self, launch.runId()));
    try {
      return builder.start();
    } catch (IOException e) {
      throw RunlaneException.of(
              ErrorCode.INTERNAL_ERROR, "no process could be started for run %s", launch.runId())
          .causedBy(e);
    }
  }

  /** The child leads its own group from the moment it stands at the gate; {@code setsid} did not fork. */
  private Begun atGate(Process process, ChildPipes pipes, @Nullable ChildUser user)
      throws IOException {
    if (!pipes.awaitGate()) {
      throw new IOException("it ended before its program began");
    }
    ProcessStat stat =
        ProcFiles.stat(process.pid()).orElseThrow(() -> new IOException("it vanished"));
    if (stat.group() != process.pid()) {
      throw new IOException("it does not lead its own group");
    }
    ProcessIdentity identity =
        host.find(process.pid()).orElseThrow(() -> new IOException("it vanished"));
    if (user != null) {
      UserSwitch.transferPipes(process.pid(), user);
    }
    guard.add(process.pid()); // last: whatever fails before leaves nothing to take back
    return new Begun(process, pipes, identity);
  }

  private <T> Future<ChildProcess<T>> child(Context context, ChildLaunch<T> launch, Begun begun) {
    ProcessTree tree =
        new ProcessTree(begun.identity().pid(), ChildMarks.variable(self, launch.runId()));
    ChildStreams<T> streams = new ChildStreams<>(context, begun.pipes(), launch, permits, options);
    ChildEnd end = new ChildEnd(
        context,
        timers,
        optionsFor(launch.command()),
        workers,
        tree,
        streams,
        begun.pipes().names());
    ChildProcess<T> child = new ChildProcess<>(context, begun.identity(), streams, end);
    try {
      streams.start(threadStarter);
    } catch (RuntimeException | Error noThread) { // an OutOfMemoryError where there are too many
      streams.cut();
      return takenBack(launch, begun, noThread);
    }
    live.add(child);
    end.follow(begun.process(), () -> {
      live.remove(child);
      guard.remove(begun.identity().pid());
      return true;
    });
    return Future.succeededFuture(child);
  }

  /** Its program has not begun: the gate is all there is of it. */
  private <T> Future<T> takenBack(ChildLaunch<?> launch, Begun begun, Throwable cause) {
    return workers.executeBlocking(
        () -> {
          begun.process().destroyForcibly();
          guard.remove(begun.identity().pid());
          throw RunlaneException.of(
                  ErrorCode.INTERNAL_ERROR,
                  "no thread could be started for the child of run %s",
                  launch.runId())
              .causedBy(cause);
        },
        false);
  }

  private ChildProcessOptions optionsFor(ChildCommand command) {
    return ChildEnvironment.isTraced(command.environment())
        ? new ChildProcessOptions(options).setTerminationGrace(options.getTracedTerminationGrace())
        : options;
  }

  private static RunlaneException stopped() {
    return RunlaneException.of(
        ErrorCode.OPERATION_CANCELLED, "no child is started: the controller stops");
  }

  private record Begun(Process process, ChildPipes pipes, ProcessIdentity identity) {}
}
