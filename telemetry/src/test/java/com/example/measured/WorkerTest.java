package com.example.measured;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.process.Poll;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** The program of the guide's page about containers. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WorkerTest {
  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void answers_probes_and_scrapes_and_ends_when_it_is_told_to() throws Exception {
    Worker worker = new Worker(PostgresServers.shared().createDatabase("worker").toUri());
    String address = "http://127.0.0.1:" + worker.start(0).await(60, SECONDS);

    assertThat(soonUp(address + "/live").statusCode()).isEqualTo(200);
    assertThat(soonUp(address + "/ready"))
        .satisfies(ready -> assertThat(ready.statusCode()).isEqualTo(200))
        .satisfies(ready -> assertThat(ready.body()).contains("\"storage\""));
    assertThat(get(address + "/metrics").body())
        .contains("runlane_slots_free", "runlane_depths_age_seconds");
    assertThat(get(address + "/other").statusCode()).isEqualTo(404);

    worker.stop();
  }

  /** At once, unless the machine stands still for as long as a check may take: then with the next check. */
  private HttpResponse<String> soonUp(String address) {
    AtomicReference<HttpResponse<String>> answer = new AtomicReference<>();
    Poll.until(Duration.ofSeconds(60), () -> {
      answer.set(get(address));
      return answer.get().statusCode() == 200;
    });
    return answer.get();
  }

  private HttpResponse<String> get(String address) {
    try {
      return http.send(
          HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
    } catch (IOException | InterruptedException broken) {
      throw new AssertionError(broken);
    }
  }
}
