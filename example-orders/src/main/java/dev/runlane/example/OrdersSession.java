package dev.runlane.example;

import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.kafka.KafkaServer;
import dev.runlane.testinfra.postgres.PostgresServer;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** One start of the program, from running servers to the last order, or to Ctrl-C. */
final class OrdersSession {
  private static final String DROP = "DROP SCHEMA IF EXISTS runlane CASCADE";

  private final CommandLine command;
  private final Screen screen;
  private final Interruption interruption;

  OrdersSession(CommandLine command, Screen screen, Interruption interruption) {
    this.command = command;
    this.screen = screen;
    this.interruption = interruption;
  }

  /** Blocks until everything is closed again. */
  ExitCode run(Infrastructure around, OrderFile file)
      throws ExecutionException, InterruptedException {
    Vertx vertx = Vertx.vertx();
    try {
      Promise<ExitCode> ended = Promise.promise();
      vertx.runOnContext(start -> work(vertx, around, file).onComplete(ended));
      return get(ended.future());
    } finally {
      get(vertx.close());
    }
  }

  static PgConnectOptions connectOptions(PostgresServer postgres) {
    return PgConnectOptions.fromUri(uri(postgres));
  }

  private static String uri(PostgresServer postgres) {
    return postgres.address(postgres.user()).toUri();
  }

  private Future<ExitCode> work(Vertx vertx, Infrastructure around, OrderFile file) {
    PgConnectOptions database = connectOptions(around.postgres());
    Future<Void> ready = command.resetting()
        ? forget(vertx, database).onSuccess(done -> screen.say("data forgotten"))
        : Future.succeededFuture();
    return ready.compose(forgotten -> {
      Crew crew = crew(vertx, around, database);
      return untilInterrupted(vertx, settle(vertx, crew, file), crew.trouble())
          .eventually(crew::close);
    });
  }

  /** Removes what earlier starts left. */
  private static Future<Void> forget(Vertx vertx, PgConnectOptions database) {
    PgConnectOptions quiet = new PgConnectOptions(database)
        .addProperty("client_min_messages", "warning"); // not each table that goes with the schema
    return PgConnection.connect(vertx, quiet)
        .compose(connection ->
            connection.query(DROP).execute().<Void>mapEmpty().eventually(connection::close));
  }

  private Crew crew(Vertx vertx, Infrastructure around, PgConnectOptions database) {
    KafkaServer kafka = around.kafka();
    if (kafka == null) {
      return new Crew.Alone(Shop.on(vertx, new PgStorageOptions().setConnectOptions(database)));
    }
    KafkaSetting setting = new KafkaSetting(uri(around.postgres()), kafka.bootstrapServers());
    return new Crew.BehindKafka(
        Shop.over(vertx, setting.lane(vertx)),
        new Workers(vertx, setting, around.folder(), screen));
  }

  private Future<ExitCode> untilInterrupted(
      Vertx vertx, Future<Void> settled, Future<Void> trouble) {
    CompletableFuture<Object> first = CompletableFuture.anyOf(
        settled.toCompletionStage().toCompletableFuture(),
        trouble.toCompletionStage().toCompletableFuture(),
        interruption.requested());
    return Future.fromCompletionStage(first, vertx.getOrCreateContext()).map(either -> {
      if (!interruption.isAsked()) {
        return ExitCode.SETTLED;
      }
      screen.say("stopped: what is open goes on at the next start");
      return ExitCode.INTERRUPTED;
    });
  }

  private Future<Void> settle(Vertx vertx, Crew crew, OrderFile file) {
    Shop shop = crew.shop();
    Timers timers = Timers.of(vertx);
    Duration begun = timers.elapsed();
    OpenRuns open = new OpenRuns(shop, screen, timers, interruption);
    return shop.start()
        .compose(started -> shop.serveConsole())
        .onSuccess(address -> screen.say("console: " + address))
        .compose(served -> open.count())
        .onSuccess(this::sayLeft)
        .compose(left -> crew.begin())
        .compose(opened -> {
          file.rejected().forEach(this::sayRejected);
          return new Intake(shop, screen).take(file);
        })
        .onSuccess(taken -> sayTaken(file, taken))
        .compose(taken -> open.settled())
        .compose(settled -> new Report(shop, screen).print())
        .onSuccess(printed -> screen.say(
            "every order is settled, after " + timers.elapsed().minus(begun).toMillis() + " ms"))
        .compose(done -> command.serving() ? serve() : Future.succeededFuture());
  }

  private Future<Void> serve() {
    screen.say("serving until Ctrl-C");
    return Promise.<Void>promise().future();
  }

  private void sayLeft(int open) {
    if (open > 0) {
      screen.say("found " + open + " open runs of an earlier start");
    }
  }

  private void sayRejected(OrderFile.RejectedLine line) {
    screen.say("line " + line.number() + " skipped: " + line.reason());
  }

  private void sayTaken(OrderFile file, int taken) {
    screen.say("orders: " + taken + " new, " + (file.orders().size() - taken) + " known already, "
        + file.rejected().size() + " lines skipped");
  }

  private static <T> T get(Future<T> future) throws ExecutionException, InterruptedException {
    CompletableFuture<T> blocking = future.toCompletionStage().toCompletableFuture();
    return blocking.get();
  }
}
