package com.example.springjobs;

import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.postgres.options.PgAddress;
import dev.runlane.telemetry.metrics.JobMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
public class MailJobs {
  public record Mail(String to, String text) {}

  public interface MailServer {
    void send(Mail mail);
  }

  private static final JobOptions PATIENT = JobOptions.builder()
      .attempts(5)
      .backoff(JobBackoff.exponential(Duration.ofSeconds(1)))
      .removeOnComplete(JobRemoval.after(Duration.ofDays(1))) // unless set: kept for ever
      .removeOnFail(JobRemoval.after(Duration.ofDays(30)))
      .build();

  @Bean(destroyMethod = "") // MailWorker closes it, and waits for that
  Jobs jobs(Vertx vertx, @Value("${shop.jobs.database}") String address) {
    JobStore store = PgJobStore.create(
        vertx, new PgJobStoreOptions().setConnectOptions(PgAddress.parse(address)));
    store.connect().await(); // makes the tables
    return Jobs.create(vertx, store);
  }

  @Bean
  JobMetrics jobMetrics(MeterRegistry registry) {
    return JobMetrics.create(registry);
  }

  @Bean
  JobQueue mails(Jobs jobs, JobMetrics metrics) {
    return metrics.observe(jobs.queue("mails", PATIENT));
  }

  @Bean
  MailWorker mailWorker(Jobs jobs, JobMetrics metrics, MailServer server) {
    return new MailWorker(jobs, metrics, server);
  }
}
