package dev.runlane.console;

import dev.runlane.console.access.Caller;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.ApiError;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiOperation;
import dev.runlane.run.Actor;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RunActionOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who did what and why: in the storage's log of actions where it keeps one, and in the log {@code
 * dev.runlane.console.audit}, which has what was refused too.
 */
final class ActionLog {
  private static final Logger AUDIT = LoggerFactory.getLogger("dev.runlane.console.audit");
  private static final Set<HttpMethod> READS =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);
  private static final int LONGEST_PATH = 512;

  private final Runlane runlane;
  private final boolean isKept;

  ActionLog(Runlane runlane) {
    this.runlane = runlane;
    isKept = runlane.lane().storage().operator().isPresent();
  }

  /** Carries out an operation; an action is recorded before, and how it ended after. */
  Future<Answer> recorded(ApiOperation operation, ApiCall call, Supplier<Future<Answer>> work) {
    String action = operation.action().orElse(null);
    if (action == null || !isKept) {
      return work.get();
    }
    RunActionOptions options =
        new RunActionOptions().setActor(Actor.operator(call.caller().name()));
    if (!call.reason().isEmpty()) {
      options.setReason(call.reason());
    }
    String target = call.path().isEmpty() ? null : String.join("/", call.path().values());
    return runlane
        .operator()
        .recorded(action, target, options, () -> work.get().map(Recorded::new))
        .map(Recorded::answer);
  }

  /**
   * Lets a request to connectors go on once it is recorded, and records how it was answered. Fails where it cannot be
   * recorded.
   */
  Future<Void> recordedOfConnectors(RoutingContext request, Caller caller) {
    Supplier<Future<Integer>> going = () -> {
      Promise<Integer> ended = Promise.promise();
      request.addEndHandler(end -> {
        int status = request.response().getStatusCode();
        if (end.failed()) {
          ended.tryFail(new NotDone("cut off"));
        } else if (status >= 400) {
          ended.tryFail(new NotDone("answered " + status));
        } else {
          ended.tryComplete(status);
        }
      });
      request.put(ApiRouter.ADMITTED, true);
      request.request().resume();
      request.next();
      return ended.future();
    };
    String path = cut(String.valueOf(request.request().path()));
    RunActionOptions options = new RunActionOptions().setActor(Actor.operator(caller.name()));
    Future<Integer> answered = isKept
        ? runlane
            .operator()
            .recorded(
                "connectors." + request.request().method().name().toLowerCase(Locale.ROOT),
                path,
                options,
                going)
        : going.get();
    return answered.transform((status, failure) -> {
      if (failure != null && !(failure instanceof NotDone)) {
        return Future.failedFuture(failure);
      }
      AUDIT.info(
          "{} {} {} as {} {}",
          request.request().method(),
          oneLine(path),
          failure == null ? "answered " + status : failure.getMessage(),
          caller.role().value(),
          oneLine(caller.name()));
      return Future.succeededFuture();
    });
  }

  private static String cut(String path) {
    return path.substring(0, Math.min(path.length(), LONGEST_PATH));
  }

  /** Logs what was done or failed. */
  void told(ApiOperation operation, ApiCall call, boolean isFailed, String requestId) {
    if (operation.isChange()) {
      AUDIT.info(
          "{} {} {} as {} {}: {}, request {}",
          operation.id(),
          oneLine(call.path().values().toString()),
          isFailed ? "failed" : "done",
          call.caller().role().value(),
          oneLine(call.caller().name()),
          oneLine(call.reason()),
          requestId);
    }
  }

  /** Logs what was refused and would have changed something. */
  void refused(
      HttpServerRequest request, @Nullable Caller caller, ApiError error, String requestId) {
    if (!READS.contains(request.method())) {
      String path = String.valueOf(request.path());
      AUDIT.warn(
          "{} {} refused as {} to {} from {}, request {}",
          request.method(),
          oneLine(cut(path)),
          error.code(),
          caller == null ? "nobody known" : oneLine(caller.name()),
          request.remoteAddress(),
          requestId);
    }
  }

  /** Without what ends a line for a terminal or a reader of logs, and without other control characters. */
  private static String oneLine(String text) {
    return text.replaceAll("[\\p{Cc}\\u2028\\u2029]", " ");
  }

  /**
   * An answer whose text is what the log keeps of it.
   *
   * @param answer the answer
   */
  private record Recorded(Answer answer) {
    @Override
    public String toString() {
      return answer.result();
    }
  }

  /** A request to connectors that was refused, failed, or whose answer did not arrive; its caller has been told. */
  private static final class NotDone extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NotDone(String how) {
      super(how, null, false, false);
    }
  }
}
