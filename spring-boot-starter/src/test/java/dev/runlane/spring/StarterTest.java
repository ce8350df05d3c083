package dev.runlane.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.example.spring.Order;
import com.example.spring.Orders;
import com.example.spring.ShopApplication;
import dev.runlane.lane.Lane;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.pg.jdbc.TriggeredRun.Outcome;
import dev.runlane.testinfra.process.Poll;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.WakeupListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The guide's application, on a Postgres of its own. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class StarterTest {
  private static ConfigurableApplicationContext context;
  private static @Nullable ConfigurableApplicationContext triggering; // once a test needs it

  @BeforeAll
  static void start() {
    context = new SpringApplicationBuilder(ShopApplication.class, More.class)
        .web(WebApplicationType.NONE)
        .properties(
            "runlane.dev-services.enabled=true",
            "runlane.queues.payments=2",
            "runlane.concurrency=4",
            "runlane.retention=30d",
            "spring.main.banner-mode=off")
        .run();
    context
        .getBean(JdbcClient.class)
        .sql("CREATE TABLE orders (id text PRIMARY KEY, cents bigint, charged boolean)")
        .update();
  }

  @AfterAll
  static void stop() {
    if (triggering != null) {
      triggering.close();
    }
    context.close();
  }

  @Test
  void an_order_that_is_committed_is_charged() throws Exception {
    String run = context.getBean(Orders.class).place(new Order("o-1", 500));

    assertThat(ended(run)).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(charged("o-1")).isTrue();
  }

  @Test
  void an_order_that_is_rolled_back_has_no_run() throws Exception {
    String[] run = new String[1];
    Throwable failed = catchThrowable(
        () -> context.getBean(TransactionTemplate.class).executeWithoutResult(transaction -> {
          run[0] = context.getBean(Orders.class).place(new Order("o-2", 500));
          throw new IllegalStateException("the caller fails");
        }));

    assertThat(failed).hasMessage("the caller fails");
    assertThat(context.getBean(Runlane.class).runs().get(run[0]).await(60, TimeUnit.SECONDS))
        .isEmpty();
  }

  @Test
  void outside_of_a_transaction_a_run_is_stored_when_the_call_returns() throws Exception {
    RunlaneTriggers triggers = context.getBean(RunlaneTriggers.class);
    Order order = new Order("o-3", 500);
    TriggerOptions options = new TriggerOptions().setIdempotencyKey("k");

    String run = triggers.trigger("orders.charge", order, options).runId();

    assertThat(triggers.trigger("orders.charge", order, options).outcome())
        .isEqualTo(Outcome.IDEMPOTENT_EXISTING);
    assertThat(ended(run)).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_listener_of_the_commit_triggers_as_outside_of_a_transaction() throws Exception {
    Listener listener = context.getBean(Listener.class);

    context
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(transaction -> context.publishEvent(new Order("o-5", 500)));

    assertThat(ended(listener.runs.remove())).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_trigger_in_a_transaction_is_checked_and_observed_as_outside_of_one() throws Exception {
    RunlaneTriggers triggers = context.getBean(RunlaneTriggers.class);
    TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
    Order order = new Order("o-6", 500);
    TriggerOptions both =
        new TriggerOptions().setDelay(Duration.ofSeconds(1)).setRunAt(Instant.now());

    String run =
        transaction.execute(begun -> triggers.trigger("orders.charge", order).runId());

    assertThat(context
            .getBean(Runlane.class)
            .runs()
            .get(run)
            .await(60, TimeUnit.SECONDS)
            .orElseThrow()
            .traceCarrier())
        .isEqualTo(Map.of("observed", "orders.charge"));
    assertThat(catchThrowable(() -> transaction.executeWithoutResult(
            begun -> triggers.trigger("orders.charge", order, both))))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.VALIDATION_FAILED));
  }

  @Test
  void observers_are_told_of_a_trigger_in_a_transaction_when_that_commits() {
    RunlaneTriggers triggers = context.getBean(RunlaneTriggers.class);
    TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
    Queue<String> created = context.getBean(Creations.class).runs;
    TriggerOptions keyed = new TriggerOptions().setIdempotencyKey("told once");
    String[] undone = new String[1];

    transaction.executeWithoutResult(begun -> {
      undone[0] = triggers.trigger("numbers.double", 1L).runId();
      begun.setRollbackOnly();
    });
    String first = transaction.execute(
        begun -> triggers.trigger("numbers.double", 1L, keyed).runId());
    transaction.executeWithoutResult(begun -> triggers.trigger("numbers.double", 1L, keyed));
    TransactionTemplate nested = new TransactionTemplate(
        transaction.getTransactionManager(),
        new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_NESTED));
    String[] partly = new String[2];
    transaction.executeWithoutResult(begun -> {
      partly[0] = triggers.trigger("numbers.double", 1L).runId();
      nested.executeWithoutResult(inner -> {
        partly[1] = triggers.trigger("numbers.double", 1L).runId();
        inner.setRollbackOnly();
      });
    });
    String last =
        transaction.execute(begun -> triggers.trigger("numbers.double", 1L).runId());

    assertThat(Poll.until(Duration.ofSeconds(30), () -> created.contains(last))).isTrue();
    assertThat(created)
        .doesNotContain(undone[0], partly[1])
        .containsOnlyOnce(first, partly[0], last);
  }

  @Test
  void in_a_transaction_of_something_else_a_run_is_stored_when_the_call_returns() throws Exception {
    ConfigurableApplicationContext other = onlyTriggering();
    String run = new TransactionTemplate(new OfABroker()).execute(begun -> other
        .getBean(RunlaneTriggers.class)
        .trigger("orders.charge", new Order("o-7", 500))
        .runId());

    assertThat(other.getBean(Runlane.class).runs().get(run).await(60, TimeUnit.SECONDS))
        .isPresent();
  }

  @Test
  void a_trigger_of_a_synchronization_after_the_commit_is_stored_and_told_too() throws Exception {
    ConfigurableApplicationContext other = onlyTriggering();
    RunlaneTriggers triggers = other.getBean(RunlaneTriggers.class);
    String[] run = new String[1];

    other
        .getBean(TransactionTemplate.class)
        .executeWithoutResult(begun -> TransactionSynchronizationManager.registerSynchronization(
            new TransactionSynchronization() {
              @Override
              public void afterCommit() {
                run[0] =
                    triggers.trigger("orders.charge", new Order("o-8", 500)).runId();
              }
            }));

    assertThat(other.getBean(Runlane.class).runs().get(run[0]).await(60, TimeUnit.SECONDS))
        .isPresent();
    Queue<String> created = other.getBean(Creations.class).runs;
    assertThat(Poll.until(Duration.ofSeconds(30), () -> created.contains(run[0])))
        .isTrue();
  }

  @Test
  void a_commit_of_a_process_that_only_triggers_wakes_workers_of_others() throws Exception {
    ConfigurableApplicationContext other = onlyTriggering();
    Queue<String> woken = new ConcurrentLinkedQueue<>();
    other
        .getBean(Lane.class)
        .transport()
        .wakeups()
        .orElseThrow()
        .subscribe(other.getBean(Runlane.class).environment(), new WakeupListener() {
          @Override
          public void onWakeups(List<DeliveryMessage> messages) {
            messages.forEach(message -> woken.add(message.runId()));
          }

          @Override
          public void onPossibleLoss() {}
        })
        .await(60, TimeUnit.SECONDS);
    RunlaneTriggers triggers = other.getBean(RunlaneTriggers.class);

    String run = other.getBean(TransactionTemplate.class).execute(begun -> triggers
        .trigger("orders.charge", new Order("o-9", 500))
        .runId());

    assertThat(Poll.until(Duration.ofSeconds(30), () -> woken.contains(run))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stock.annotated", "stock.template"})
  void a_step_in_a_transaction_that_may_be_rolled_back_behind_it_is_refused(String task)
      throws Exception {
    RunRecord ended = end(task, new Order(task, 500));

    assertThat(ended.status()).isEqualTo(RunStatus.FAILED);
    assertThat(ended.failure().code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    assertThat(ended.failure().message()).contains("step take").contains(task);
    assertThat(ended.counters().attempts()).isEqualTo(1);
    assertThat(isThere(task)).isFalse();
  }

  @Test
  void what_a_step_wrote_in_a_transaction_of_its_own_stays_whatever_its_attempt_comes_to()
      throws Exception {
    RunRecord ended = end("stock.inside", new Order("stock.inside", 500));

    assertThat(ended.status()).isEqualTo(RunStatus.SUCCEEDED);
    assertThat(ended.counters().attempts()).isEqualTo(2);
    assertThat(isThere("stock.inside")).isTrue();
  }

  /** An application that only triggers, whose pool rolls back what is open when it gets a connection back. */
  private static ConfigurableApplicationContext onlyTriggering() {
    if (triggering == null) {
      triggering = new SpringApplicationBuilder(ShopApplication.class, More.class)
          .web(WebApplicationType.NONE)
          .properties(
              "runlane.dev-services.enabled=true",
              "runlane.work=false",
              "spring.datasource.hikari.auto-commit=false",
              "spring.main.banner-mode=off")
          .run();
    }
    return triggering;
  }

  @Test
  void a_method_of_a_scoped_bean_is_one_task_and_may_take_a_primitive() throws Exception {
    String run =
        context.getBean(RunlaneTriggers.class).trigger("numbers.double", 21L).runId();

    RunRecord ended = context
        .getBean(Runlane.class)
        .awaitRun(run, Duration.ofSeconds(60))
        .await(70, TimeUnit.SECONDS);

    assertThat(ended.output().text()).isEqualTo("42");
  }

  @Test
  void a_method_of_a_task_triggers_another_one() throws Exception {
    Runlane runlane = context.getBean(Runlane.class);
    String run =
        context.getBean(RunlaneTriggers.class).trigger("numbers.later", 4L).runId();

    RunRecord ended = runlane.awaitRun(run, Duration.ofSeconds(60)).await(70, TimeUnit.SECONDS);

    assertThat(ended.failure()).isNull();
    assertThat(ended(ended.output().text().replace("\"", ""))).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void a_trigger_on_an_event_loop_is_refused_instead_of_blocking_it() throws Exception {
    RunlaneTriggers triggers = context.getBean(RunlaneTriggers.class);
    Promise<Throwable> refused = Promise.promise();

    context
        .getBean(Vertx.class)
        .runOnContext(
            turn -> refused.complete(catchThrowable(() -> triggers.trigger("numbers.double", 1L))));

    assertThat(refused.future().await(30, TimeUnit.SECONDS))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void what_is_stopped_starts_again_and_triggers_go_on_meanwhile() throws Exception {
    RunlaneTriggers triggers = context.getBean(RunlaneTriggers.class);
    context.stop();
    String run = triggers.trigger("numbers.double", 1L).runId();

    context.start();

    assertThat(ended(run)).isEqualTo(RunStatus.SUCCEEDED);
  }

  @Test
  void it_starts_before_a_web_server_and_stops_after_it() {
    assertThat(context.getBean("runlaneLifecycle", SmartLifecycle.class).getPhase())
        .isLessThan(SmartLifecycle.DEFAULT_PHASE - 2048);
  }

  @Test
  void a_customizer_changes_what_properties_do_not_say() throws Exception {
    RunlaneTriggers triggers = context.getBean(RunlaneTriggers.class);
    String run = triggers.trigger("orders.charge", new Order("o-7", 1)).runId();
    ended(run);

    assertThat(context.getBean(Customizer.class).built.runs).as("runtime").contains(run);
    assertThat(context
            .getBean(Runlane.class)
            .runs()
            .attempts(run)
            .await(60, TimeUnit.SECONDS)
            .toString())
        .as("deployment")
        .contains("worker-of-the-shop");
    assertThat(context
            .getBean(JdbcClient.class)
            .sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'shop'")
            .query(Long.class)
            .single())
        .as("storage")
        .isPositive();
    assertThatThrownBy(() -> triggers.trigger("orders.charge", new Order("o".repeat(20_000), 1)))
        .as("options")
        .asInstanceOf(type(RunlaneException.class))
        .returns(ErrorCode.VALIDATION_FAILED, RunlaneException::code);
  }

  @Test
  void a_task_that_the_declared_type_of_its_bean_hides_fails_the_start() {
    SpringApplicationBuilder hiding = new SpringApplicationBuilder(
            ShopApplication.class, Hiding.class)
        .web(WebApplicationType.NONE)
        .properties("runlane.dev-services.enabled=true", "spring.main.banner-mode=off");

    assertThatThrownBy(hiding::run)
        .hasMessageContaining("bean mails")
        .hasMessageContaining("mails.send")
        .asInstanceOf(type(RunlaneException.class))
        .returns(ErrorCode.CONFIGURATION_INVALID, RunlaneException::code);
  }

  @Test
  void several_data_sources_none_of_which_is_primary_fail_the_start() {
    SpringApplicationBuilder undecided = withTwoDatabases(NonePrimary.class);

    assertThatThrownBy(undecided::run)
        .rootCause()
        .hasMessageContaining("mark one @Primary, or set runlane.database")
        .asInstanceOf(type(RunlaneException.class))
        .returns(ErrorCode.CONFIGURATION_INVALID, RunlaneException::code);
  }

  @Test
  void of_several_data_sources_the_primary_one_has_the_transactions_of_triggers() throws Exception {
    try (ConfigurableApplicationContext two = withTwoDatabases(OnePrimary.class).run()) {
      RunlaneTriggers triggers = two.getBean(RunlaneTriggers.class);
      String run = two.getBean(TransactionTemplate.class).execute(begun -> {
        begun.setRollbackOnly();
        return triggers.trigger("mails.send", new Order("o-10", 500)).runId();
      });

      assertThat(two.getBean(Runlane.class).runs().get(run).await(20, TimeUnit.SECONDS))
          .isEmpty();
    }
  }

  private static SpringApplicationBuilder withTwoDatabases(Class<?> beans) {
    return new SpringApplicationBuilder(beans)
        .web(WebApplicationType.NONE)
        .properties("runlane.dev-services.enabled=true", "spring.main.banner-mode=off");
  }

  /** Of an application with two databases, each of which may be the one with Runlane's tables. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class NonePrimary {
    @Bean
    DataSource orders(JdbcConnectionDetails details) {
      return leadingTo(details);
    }

    @Bean
    DataSource archive(JdbcConnectionDetails details) {
      return leadingTo(details);
    }
  }

  /** The same where one of them goes before the other. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OnePrimary {
    @Bean
    @Primary
    DataSource orders(JdbcConnectionDetails details) {
      return leadingTo(details);
    }

    @Bean
    DataSource archive(JdbcConnectionDetails details) {
      return leadingTo(details);
    }

    @Bean
    Mails mails() {
      return new Mails();
    }
  }

  private static DataSource leadingTo(JdbcConnectionDetails details) {
    return new DriverManagerDataSource(
        details.getJdbcUrl(), details.getUsername(), details.getPassword());
  }

  /** A bean that asks for the runtime before another one is made, of which only its interface is known by then. */
  @Configuration(proxyBeanMethods = false)
  static class Hiding {
    @Bean
    List<String> tasks(Runlane runlane) {
      return runlane.tasks().stream().map(TaskDescription::id).toList();
    }

    @Bean
    Comparable<Order> mails() {
      return new Mails();
    }
  }

  /** Has a task that its interface does not show. */
  static class Mails implements Comparable<Order> {
    @RunlaneTask("mails.send")
    void send(Order order) {}

    @Override
    public int compareTo(Order other) {
      return 0;
    }
  }

  /** Beans of applications that do more. */
  @Configuration(proxyBeanMethods = false)
  static class More {
    @Bean
    Customizer customizer() {
      return new Customizer();
    }

    @Bean
    @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    Numbers numbers(RunlaneTriggers triggers) {
      return new Numbers(triggers);
    }

    @Bean
    Stock stock(JdbcClient database, TransactionTemplate transaction) {
      return new Stock(database, transaction);
    }

    @Bean
    Task<Order> templated(Stock stock, TransactionTemplate transaction) {
      return Task.define("stock.template", Order.class)
          .retry(RetryPolicy.attempts(2))
          .blockingHandler((order, attempt) -> transaction.execute(begun -> {
            stock.take(order, attempt);
            return TaskResult.done();
          }));
    }

    @Bean
    Listener listener(RunlaneTriggers triggers) {
      return new Listener(triggers);
    }

    @Bean
    Creations observer() {
      return new Creations();
    }
  }

  /** Changes one thing of each kind. */
  static final class Customizer implements RunlaneCustomizer {
    private final Creations built = new Creations();

    @Override
    public void storage(PgStorageOptions options) {
      options.setConnectOptions(new PgConnectOptions(options.getConnectOptions())
          .addProperty("application_name", "shop"));
    }

    @Override
    public void options(RunlaneOptions options) {
      options.setMaxPayloadBytes(10_000);
    }

    @Override
    public void runtime(RunlaneBuilder builder) {
      builder.observer(built);
    }

    @Override
    public void deployment(RunlaneDeployment deployment) {
      deployment.setWorker(deployment.getWorker().setWorkerId("worker-of-the-shop"));
    }
  }

  /** Remembers what it is told of. */
  static final class Creations implements RuntimeObserver {
    private final Queue<String> runs = new ConcurrentLinkedQueue<>();

    @Override
    public Map<String, String> runTriggered(
        String runId, String taskId, String queue, @Nullable Map<String, String> carrier) {
      return Map.of("observed", taskId);
    }

    @Override
    public void runCreated(RunRecord run) {
      runs.add(run.id());
    }
  }

  /** Transactions without a connection of any database. */
  private static final class OfABroker extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1L;

    @Override
    protected Object doGetTransaction() {
      return this;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {}

    @Override
    protected void doCommit(DefaultTransactionStatus status) {}

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}
  }

  /** Takes orders in a step, behind which the first attempt fails. */
  public static class Stock {
    private final @Nullable JdbcClient database; // null in the proxy
    private final @Nullable TransactionTemplate transaction; // likewise

    Stock() {
      this(null, null);
    }

    Stock(@Nullable JdbcClient database, @Nullable TransactionTemplate transaction) {
      this.database = database;
      this.transaction = transaction;
    }

    @RunlaneTask(value = "stock.annotated", attempts = 2)
    @Transactional
    public void annotated(Order order, BlockingTaskContext attempt) {
      take(order, attempt);
    }

    @RunlaneTask(value = "stock.inside", attempts = 2)
    public void inside(Order order, BlockingTaskContext attempt) {
      attempt.callStep(
          Step.of("take", Integer.class), () -> transaction.execute(begun -> insert(order)));
      failTheFirst(attempt);
    }

    void take(Order order, BlockingTaskContext attempt) {
      attempt.callStep(Step.of("take", Integer.class), () -> insert(order));
      failTheFirst(attempt);
    }

    private int insert(Order order) {
      return database
          .sql("INSERT INTO orders VALUES (?, ?, false)")
          .params(order.id(), order.cents())
          .update();
    }

    private static void failTheFirst(BlockingTaskContext attempt) {
      if (attempt.attempt() == 1) {
        throw new IllegalStateException("behind the step");
      }
    }
  }

  /** Calculates. */
  public static class Numbers {
    private final @Nullable RunlaneTriggers triggers; // null in the proxy

    Numbers() {
      this(null);
    }

    Numbers(@Nullable RunlaneTriggers triggers) {
      this.triggers = triggers;
    }

    @RunlaneTask("numbers.later")
    String later(long value) {
      return triggers.trigger("numbers.double", value).runId();
    }

    @RunlaneTask("numbers.double")
    long doubled(long value) {
      return 2 * value;
    }
  }

  /** Triggers after commits. */
  public static class Listener {
    private final Queue<String> runs = new ConcurrentLinkedQueue<>();
    private final RunlaneTriggers triggers;

    Listener(RunlaneTriggers triggers) {
      this.triggers = triggers;
    }

    @TransactionalEventListener
    public void placed(Order order) {
      runs.add(triggers.trigger("orders.charge", order).runId());
    }
  }

  @Test
  void queues_of_the_configuration_are_registered() {
    assertThat(context.getBean(Runlane.class).queues())
        .anySatisfy(queue -> assertThat(queue.policy().isBounded()).isTrue())
        .anySatisfy(queue -> assertThat(queue.isDefault()).isTrue());
  }

  @Test
  void health_and_metrics_are_those_of_actuator() throws Exception {
    String run = context
        .getBean(RunlaneTriggers.class)
        .trigger("orders.charge", new Order("o-4", 1))
        .runId();
    ended(run);
    HealthIndicator indicator = context.getBean("runlaneHealthIndicator", HealthIndicator.class);
    AtomicReference<Health> seen = new AtomicReference<>();
    // At once, unless the machine stands still for as long as a check may take.
    Poll.until(Duration.ofSeconds(60), () -> {
      seen.set(indicator.health());
      return seen.get().getStatus().equals(Status.UP);
    });
    Health health = seen.get();

    assertThat(health.getStatus()).as(health.toString()).isEqualTo(Status.UP);
    assertThat(health.getDetails()).isNotEmpty();
    assertThat(
            context.getBean(MeterRegistry.class).get("runlane.runs.triggered").counters())
        .isNotEmpty();
  }

  @Test
  void statements_and_what_waits_are_among_the_meters() throws Exception {
    MeterRegistry registry = context.getBean(MeterRegistry.class);
    ended(context.getBean(RunlaneTriggers.class).trigger("numbers.double", 1L).runId());

    assertThat(registry.find("runlane.storage.statement.duration").timers()).isNotEmpty();
    assertThat(registry.find("runlane.depths.age").gauges()).hasSize(1);
    assertThat(Poll.until(
            Duration.ofSeconds(90),
            () -> !registry.find("runlane.outbox.messages").gauges().isEmpty()))
        .as("the counts are read")
        .isTrue();
  }

  private static RunRecord end(String task, Order order) throws Exception {
    return context
        .getBean(Runlane.class)
        .awaitRun(
            context.getBean(RunlaneTriggers.class).trigger(task, order).runId(),
            Duration.ofSeconds(60))
        .await(70, TimeUnit.SECONDS);
  }

  private static boolean isThere(String order) {
    return context
            .getBean(JdbcClient.class)
            .sql("SELECT count(*) FROM orders WHERE id = ?")
            .param(order)
            .query(Long.class)
            .single()
        == 1;
  }

  private static RunStatus ended(String run) throws Exception {
    return context
        .getBean(Runlane.class)
        .awaitRun(run, Duration.ofSeconds(60))
        .await(70, TimeUnit.SECONDS)
        .status();
  }

  private static boolean charged(String order) {
    return context
        .getBean(JdbcClient.class)
        .sql("SELECT charged FROM orders WHERE id = ?")
        .param(order)
        .query(Boolean.class)
        .single();
  }
}
