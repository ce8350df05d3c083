package dev.runlane.spring.autoconfigure;

import dev.runlane.lane.Lane;
import dev.runlane.lane.Lanes;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.maintenance.RetentionOptions;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.spring.RunlaneCustomizer;
import dev.runlane.spring.RunlaneProperties;
import dev.runlane.spring.RunlaneTriggers;
import dev.runlane.storage.StatementObserver;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Vertx;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.util.ClassUtils;

/** The runtime of the application, with all tasks and queues that are beans. Each bean gives way to one of its own. */
@AutoConfiguration(after = DataSourceAutoConfiguration.class)
@EnableConfigurationProperties(RunlaneProperties.class)
public class RunlaneAutoConfiguration {
  /** For the class that Spring makes. */
  public RunlaneAutoConfiguration() {}

  /** What the runtime works on, unless the application has one; closed with the context. */
  @Bean(destroyMethod = "close")
  @ConditionalOnMissingBean
  Vertx runlaneVertx() {
    return Vertx.vertx();
  }

  /** Where runs are and how wakeups travel. */
  @Bean
  @ConditionalOnMissingBean
  Lane runlaneLane(
      Vertx vertx,
      RunlaneProperties properties,
      ObjectProvider<JdbcConnectionDetails> details,
      ObjectProvider<StatementObserver> observers,
      ObjectProvider<RunlaneCustomizer> customizers) {
    PgStorageOptions options = new PgStorageOptions()
        .setConnectOptions(DatabaseAddress.of(
            properties, properties.database() == null ? details.getIfAvailable() : null))
        .setSchema(properties.schema())
        .setMigrate(properties.migrate());
    customizers.orderedStream().forEach(each -> each.storage(options));
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx, options, StatementObservers.of(observers.orderedStream().toList()));
    return Lanes.create(storage, storage.notifyTransport());
  }

  /** What the runtime is made of; not asked for where the application makes its own. */
  @Bean
  @Lazy
  @ConditionalOnMissingBean
  ApplicationTasks runlaneApplicationTasks(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<TaskDescription<?>> tasks,
      ObjectProvider<TaskQueue> queues,
      RunlaneProperties properties) {
    return new ApplicationTasks(beans, tasks, queues, properties);
  }

  /** Built, but not started: that comes last. */
  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean
  Runlane runlane(
      Vertx vertx,
      Lane lane,
      RunlaneProperties properties,
      ApplicationTasks tasks,
      ObjectProvider<RuntimeObserver> observers,
      ObjectProvider<RunlaneCustomizer> customizers) {
    RunlaneOptions options = new RunlaneOptions().setEnvironment(properties.environment());
    customizers.orderedStream().forEach(each -> each.options(options));
    RunlaneBuilder builder = Runlane.builder(vertx, lane).options(options);
    tasks.addTo(builder);
    observers.orderedStream().forEach(builder::observer);
    customizers.orderedStream().forEach(each -> each.runtime(builder));
    return builder.build();
  }

  /** Starts and stops it. */
  @Bean
  @ConditionalOnMissingBean
  RunlaneLifecycle runlaneLifecycle(
      Vertx vertx,
      Runlane runlane,
      RunlaneProperties properties,
      ObjectProvider<RunlaneCustomizer> customizers) {
    return new RunlaneLifecycle(vertx, runlane, properties, deployment(properties, customizers));
  }

  private static RunlaneDeployment deployment(
      RunlaneProperties properties, ObjectProvider<RunlaneCustomizer> customizers) {
    RunlaneDeployment deployment = new RunlaneDeployment();
    deployment.setWorker(deployment
        .getWorker()
        .setConcurrency(properties.concurrency())
        .setDrainTimeout(properties.stopTimeout()));
    if (properties.retention() != null) {
      deployment.setRetention(new RetentionOptions().setOlderThan(properties.retention()));
    }
    customizers.orderedStream().forEach(each -> each.deployment(deployment));
    return deployment;
  }

  /** For code that blocks. */
  @Bean
  @ConditionalOnMissingBean
  RunlaneTriggers runlaneTriggers(
      ObjectProvider<Runlane> runlane,
      RunlaneProperties properties,
      ObjectProvider<DataSource> dataSource,
      ListableBeanFactory beans) {
    return new SpringTriggers(
        runlane, properties.database() == null ? onlyOrPrimary(dataSource) : null, isJta(beans));
  }

  /** With several and none that goes before the others, triggers would silently be part of no transaction. */
  private static @Nullable DataSource onlyOrPrimary(ObjectProvider<DataSource> dataSources) {
    DataSource found = dataSources.getIfUnique();
    if (found == null && dataSources.stream().findAny().isPresent()) {
      throw RunlaneException.configurationInvalid(
          "there are several beans of type DataSource, and nothing says which one leads to Runlane's tables: mark one"
              + " @Primary, or set runlane.database, for triggers that are part of no transaction of Spring's");
    }
    return found;
  }

  private static boolean isJta(ListableBeanFactory beans) {
    return ClassUtils.isPresent(
            "jakarta.transaction.TransactionManager", ClassUtils.getDefaultClassLoader())
        && beans.getBeanNamesForType(JtaTransactionManager.class, true, false).length > 0;
  }
}
