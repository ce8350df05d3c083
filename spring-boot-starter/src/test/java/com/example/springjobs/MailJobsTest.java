package com.example.springjobs;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.springjobs.MailJobs.Mail;
import com.example.springjobs.MailJobs.MailServer;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;

/** The jobs of the guide's page about Spring Boot. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class MailJobsTest {
  private final PostgresAddress database = PostgresServers.shared().createDatabase("spring_jobs");

  @Test
  void a_job_is_worked_on_and_one_under_way_ends_before_the_application_does() throws Exception {
    ConfigurableApplicationContext context = start();
    JobQueue mails = context.getBean(JobQueue.class);
    SlowServer server = context.getBean(SlowServer.class);

    mails
        .add("send", new Mail("ada", "hello"))
        .compose(job -> job.waitUntilFinished())
        .await(30, SECONDS);
    mails.add("send", new Mail(SlowServer.SLOW, "hello")).await(30, SECONDS);
    assertThat(server.slowBegan.await(30, SECONDS)).isTrue();
    double added =
        context.getBean(MeterRegistry.class).get("runlane.jobs.added").counter().count();
    context.close();

    assertThat(server.sent).containsExactly("ada", SlowServer.SLOW);
    assertThat(added).isEqualTo(2);
    try (ConfigurableApplicationContext next = start()) {
      JobQueue later = next.getBean(JobQueue.class);
      assertThat(later.count(JobState.COMPLETED).await(30, SECONDS)).isEqualTo(2);
    }
  }

  private ConfigurableApplicationContext start() {
    return new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .properties(
            "shop.jobs.database=" + database.toUri(),
            "spring.datasource.url=jdbc:postgresql://" + database.host() + ":" + database.port()
                + "/" + database.database(),
            "spring.datasource.username=" + database.user(),
            "spring.datasource.password=" + database.password(),
            "spring.main.banner-mode=off")
        .run();
  }

  @EnableAutoConfiguration
  @Import({MailJobs.class, SlowServer.class})
  static class Application {}

  /** Lets one mail go only when the application is being closed. */
  static class SlowServer implements MailServer, ApplicationListener<ContextClosedEvent> {
    static final String SLOW = "bob";

    final List<String> sent = new CopyOnWriteArrayList<>();
    final CountDownLatch slowBegan = new CountDownLatch(1);
    private final CountDownLatch closing = new CountDownLatch(1);

    @Override
    public void send(Mail mail) {
      if (mail.to().equals(SLOW)) {
        slowBegan.countDown();
        try {
          closing.await();
        } catch (InterruptedException interrupted) {
          throw new IllegalStateException(interrupted);
        }
      }
      sent.add(mail.to());
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent closed) {
      closing.countDown();
    }
  }
}
