package dev.runlane.connector.http;

import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.store.key.ConnectorRef;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Keeps owners to what is theirs. An id that nobody knows is let through: what it names is reported as missing. */
final class OwnerChecks {
  private final ConnectorController controller;
  private final ConnectionOwners owners;

  OwnerChecks(ConnectorController controller, ConnectionOwners owners) {
    this.controller = controller;
    this.owners = owners;
  }

  /** To be mounted before the routes it guards. */
  void mount(Router router) {
    if (owners == ConnectionOwners.ONE) {
      return; // no run is looked up for nothing
    }
    router.route("/runs/:run_id").handler(this::run);
    router.route("/runs/:run_id/*").handler(this::run);
    for (String kind : List.of("/connectors", "/connections")) {
      router.route(kind + "/:connector_id").handler(this::connection);
      router.route(kind + "/:connector_id/*").handler(this::connection);
    }
  }

  /** Those of {@code all} that are the caller's. */
  <T> Future<List<T>> only(
      RoutingContext request, List<T> all, Function<T, ConnectorRef> connection) {
    if (owners == ConnectionOwners.ONE) {
      return Future.succeededFuture(all);
    }
    List<Future<Boolean>> owned =
        all.stream().map(each -> owners.owns(request, connection.apply(each))).toList();
    return Future.join(owned).map(answers -> {
      List<T> mine = new ArrayList<>();
      for (int index = 0; index < all.size(); index++) {
        if (owned.get(index).result()) {
          mine.add(all.get(index));
        }
      }
      return mine;
    });
  }

  private void run(RoutingContext request) {
    String runId = request.pathParam("run_id");
    HttpError refusal =
        new HttpError(403, "run_owner_mismatch", "the run is another owner's", "run_id", null);
    allowIf(
        request,
        controller
            .find(runId)
            .compose(found -> found.isEmpty()
                ? Future.succeededFuture(true)
                : owners.owns(request, found.get().run().connector())),
        refusal);
  }

  private void connection(RoutingContext request) {
    allowIf(
        request,
        owners.owns(request, ConnectorRef.of(request.pathParam("connector_id"))),
        new HttpError(
            403,
            "connector_instance_owner_mismatch",
            "the connection is another owner's",
            "connector_id",
            null));
  }

  private static void allowIf(RoutingContext request, Future<Boolean> owned, HttpError refusal) {
    owned
        .onSuccess(mine -> {
          if (mine) {
            request.next();
          } else {
            request.fail(new HttpRefusal(refusal));
          }
        })
        .onFailure(request::fail);
  }
}
