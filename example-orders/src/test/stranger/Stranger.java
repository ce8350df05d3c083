import dev.runlane.lane.Lanes;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Deploys the verticle of the README, sends it an order and says how its run ended: DATABASE PORT. */
public class Stranger {
  public static void main(String[] arguments) throws Exception {
    PgConnectOptions database = PgConnectOptions.fromUri(arguments[0]);
    int port = Integer.parseInt(arguments[1]);
    Vertx vertx = Vertx.vertx();
    try {
      vertx.deployVerticle(new OrdersVerticle(database, port)).await(60, TimeUnit.SECONDS);
      String runId = vertx
          .createHttpClient()
          .request(HttpMethod.POST, port, "127.0.0.1", "/")
          .compose(request -> request.send("{\"id\":\"A-1\",\"amountCents\":500}"))
          .compose(response -> response.body())
          .await(60, TimeUnit.SECONDS)
          .toString();
      System.out.println("the run has " + endOf(runId, vertx, database));
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }

  private static RunStatus endOf(String runId, Vertx vertx, PgConnectOptions database)
      throws Exception {
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    Runlane reader = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("nothing"))
        .build();
    reader.start().await(60, TimeUnit.SECONDS);
    try {
      return reader.awaitRun(runId, Duration.ofSeconds(60)).await(90, TimeUnit.SECONDS).status();
    } finally {
      reader.close().await(60, TimeUnit.SECONDS);
    }
  }
}
