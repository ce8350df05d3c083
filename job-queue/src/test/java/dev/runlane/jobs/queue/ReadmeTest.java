package dev.runlane.jobs.queue;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.mail.MailVerticle;
import com.example.mail.MailVerticle.Mail;
import dev.runlane.conformance.kit.BlockedLoops;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.job.Job;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the README's application as it stands there. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  /** The application, and what {@link RegistrationsTest} runs. */
  @ParameterizedTest
  @ValueSource(strings = {"MailVerticle.java", "Registrations.java"})
  void the_readme_shows_this_file(String file) throws Exception {
    String shown = Files.readString(Path.of("src/test/java/com/example/mail", file));

    assertThat(Files.readString(Path.of("README.md"))).contains("```java\n" + shown + "```");
  }

  @Test
  void a_mail_is_sent_again_until_it_is_sent() throws Exception {
    BlockedLoops blocked = new BlockedLoops();
    Vertx vertx = blocked.watched();
    List<String> tried = new CopyOnWriteArrayList<>();
    MailVerticle mails = new MailVerticle(new MemoryJobStore(), mail -> {
      tried.add(mail.to());
      return tried.size() == 1
          ? Future.failedFuture(new IllegalStateException("no route to host"))
          : Future.succeededFuture();
    });
    vertx.deployVerticle(mails).await(60, SECONDS);

    Job job = mails.send(new Mail("ada@example.com", "hello")).await(60, SECONDS);

    job.waitUntilFinished().await(60, SECONDS);
    assertThat(tried).containsExactly("ada@example.com", "ada@example.com");
    vertx.close().await(60, SECONDS);
    blocked.assertNone();
  }
}
