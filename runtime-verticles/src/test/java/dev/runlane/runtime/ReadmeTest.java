package dev.runlane.runtime;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.orders.Charging;
import com.example.orders.Invoices;
import com.example.orders.OrdersVerticle;
import com.example.orders.Parcels;
import com.example.orders.Subscription;
import dev.runlane.conformance.kit.BlockedLoops;
import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.process.FreePort;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs the README's application as it stands there. */
class ReadmeTest {
  private static final Path APPLICATION =
      Path.of("src/test/java/com/example/orders/OrdersVerticle.java");

  private static final Path CHARGING = Path.of("src/test/java/com/example/orders/Charging.java");

  private static final Path REMOTE = Path.of("src/test/java/com/example/orders/Invoices.java");

  private static final Path STEPS = Path.of("src/test/java/com/example/orders/Subscription.java");

  @Test
  void an_order_posted_twice_is_charged_once() throws Exception {
    BlockedLoops blocked = new BlockedLoops();
    Vertx vertx = blocked.watched();
    PgConnectOptions database = PgConnectOptions.fromUri(
        PostgresServers.shared().createDatabase("readme").toUri());
    int port = deployed(vertx, database, 5).await(60, SECONDS);

    JsonObject first = post(vertx, port, "{\"id\":\"o1\",\"cents\":500}");
    JsonObject second = post(vertx, port, "{\"id\":\"o1\",\"cents\":500}");

    assertThat(first.getString("outcome")).isEqualTo("created");
    assertThat(second.getString("outcome")).isEqualTo("idempotent_existing");
    assertThat(second.getString("run")).isEqualTo(first.getString("run"));
    vertx.close().await(60, SECONDS);
    blocked.assertNone();
  }

  /** On a port that nobody was faster to take. */
  private static Future<Integer> deployed(Vertx vertx, PgConnectOptions database, int tries) {
    int port = FreePort.find();
    return vertx
        .deployVerticle(new OrdersVerticle(database, port))
        .map(port)
        .recover(failure -> failure instanceof BindException && tries > 1
            ? deployed(vertx, database, tries - 1)
            : Future.failedFuture(failure));
  }

  @Test
  void a_shop_triggers_what_a_payment_service_does_and_never_claims_it() throws Exception {
    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + Files.readString(CHARGING) + "```");
    BlockedLoops blocked = new BlockedLoops();
    Vertx vertx = blocked.watched();
    PgStorageOptions options = new PgStorageOptions()
        .setConnectOptions(PgConnectOptions.fromUri(
            PostgresServers.shared().createDatabase("readme_charging").toUri()));
    Runlane shop = Charging.shop(vertx, lane(vertx, options));
    shop.deploy(vertx, new RunlaneDeployment())
        .await(60, SECONDS); // with workers that have nothing to do

    TriggerResult triggered =
        shop.trigger(Charging.CHARGE, new Charging.Order("o1", 500)).await(60, SECONDS);
    boolean claimed = shop.executeNext().await(60, SECONDS).isPresent();
    Runlane payments = Charging.payments(
        vertx, lane(vertx, options), order -> Future.succeededFuture("receipt " + order.id()));
    payments.deploy(vertx, new RunlaneDeployment()).await(60, SECONDS);
    RunRecord run = shop.awaitRun(triggered.run().id(), Duration.ofSeconds(60)).await(70, SECONDS);

    assertThat(claimed).isFalse();
    assertThat(run.output().text()).isEqualTo("\"receipt o1\"");
    assertThat(run.counters().attempts()).isEqualTo(1);
    payments.close().await(60, SECONDS);
    shop.close().await(60, SECONDS);
    vertx.close().await(60, SECONDS);
    blocked.assertNone();
  }

  private static Lane lane(Vertx vertx, PgStorageOptions options) {
    PgStorageAdapter storage = PgStorageAdapter.create(vertx, options);
    return Lanes.create(storage, storage.notifyTransport());
  }

  @Test
  void a_customer_is_charged_once_and_shipped_to_after_the_trial() throws Exception {
    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + Files.readString(STEPS) + "```");
    Fleet fleet = new Fleet();
    List<String> calls = new ArrayList<>();
    Task<Subscription.Customer> task =
        new Subscription(Duration.ofHours(3), new Recorded(calls)).task();
    Runlane before = fleet.process(task);
    String runId =
        Fleet.done(before.trigger(task, new Subscription.Customer("c1"))).run().id();
    Fleet.done(before.worker(new WorkerOptions()));
    fleet.pass(Duration.ofHours(1));
    fleet.faults.kill();

    Runlane after = fleet.process(task);
    Fleet.done(after.worker(new WorkerOptions()));
    fleet.pass(Duration.ofHours(3));

    assertThat(fleet.run(after, runId).output().text()).isEqualTo("\"parcel for r1\"");
    assertThat(calls).containsExactly("charge c1", "ship r1");
  }

  @Test
  void parcels_that_failed_are_sent_by_the_retry_and_no_other() throws Exception {
    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n"
            + Files.readString(Path.of("src/test/java/com/example/orders/Parcels.java"))
            + "```");
    Fleet fleet = new Fleet();
    List<String> calls = new ArrayList<>();
    Task<Parcels.Order> task = new Parcels(new Jammed(fleet, calls)).task();
    Runlane runlane = fleet.process(task);
    String runId = Fleet.done(runlane.trigger(task, new Parcels.Order(List.of("p1", "p2", "p3"))))
        .run()
        .id();
    Fleet.done(runlane.worker(new WorkerOptions()));
    fleet.pass(Duration.ofMinutes(5));

    assertThat(fleet.run(runlane, runId).status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(calls)
        .containsExactly(
            "pack p1",
            "pack p2",
            "pack p3",
            "label p1",
            "label p3",
            "pack p2",
            "label p2",
            "close");
  }

  @Test
  void an_invoice_is_rendered_by_a_worker_of_its_partition() throws Exception {
    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + Files.readString(REMOTE) + "```");
    RemoteFleet remote = new RemoteFleet();
    Task<Invoices.Invoice> task = new Invoices().task();
    Runlane runlane = remote.process(task);
    remote.work(runlane);
    String runId =
        Fleet.done(runlane.trigger(task, new Invoices.Invoice("2026-7"))).run().id();
    remote.pass(Duration.ofMinutes(1));

    ClaimedStepTask asked = remote.takeOne("render-pdf@eu");
    assertThat(asked.task().input().text()).isEqualTo("{\"number\":\"2026-7\"}");
    remote.complete(asked, "{\"url\":\"https://files.example.com/7\"}");
    remote.pass(Duration.ofMinutes(1));

    assertThat(remote.run(runlane, runId).output().text())
        .isEqualTo("\"https://files.example.com/7\"");
  }

  /** Cannot pack the second parcel at first. */
  private record Jammed(Fleet fleet, List<String> calls) implements Parcels.Warehouse {
    @Override
    public Future<String> pack(String parcel) {
      boolean first = !calls.contains("pack " + parcel);
      calls.add("pack " + parcel);
      Promise<String> packed = Promise.promise();
      fleet.timers.schedule(Duration.ofMillis(5), () -> {
        if (parcel.equals("p2") && first) {
          packed.fail(new IllegalStateException("no box fits"));
        } else {
          packed.complete(parcel);
        }
      });
      return packed.future();
    }

    @Override
    public Future<String> label(String box) {
      calls.add("label " + box);
      return Future.succeededFuture(box);
    }

    @Override
    public Future<Void> close(Parcels.Order order) {
      calls.add("close");
      return Future.succeededFuture();
    }
  }

  private record Recorded(List<String> calls) implements Subscription.Payments {
    @Override
    public Future<Subscription.Receipt> charge(Subscription.Customer customer) {
      calls.add("charge " + customer.id());
      return Future.succeededFuture(new Subscription.Receipt("r1"));
    }

    @Override
    public Future<String> ship(Subscription.Receipt receipt) {
      calls.add("ship " + receipt.number());
      return Future.succeededFuture("parcel for " + receipt.number());
    }
  }

  @Test
  void the_readme_shows_this_application() throws Exception {
    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + Files.readString(APPLICATION) + "```");
  }

  private static JsonObject post(Vertx vertx, int port, String body) throws Exception {
    HttpClient client = vertx.createHttpClient();
    return client
        .request(HttpMethod.POST, port, "localhost", "/orders")
        .compose(request -> request.send(Buffer.buffer(body)))
        .compose(HttpClientResponse::body)
        .map(Buffer::toJsonObject)
        .await(60, SECONDS);
  }
}
