package dev.runlane.runtime.host;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class VertxHostTest {
  private final Vertx vertx = Vertx.vertx();
  private final ExecutorService threads = Executors.newFixedThreadPool(2);

  @AfterEach
  void close() throws Exception {
    threads.shutdownNow();
    vertx.close().await(30, SECONDS);
  }

  @Test
  void two_that_start_it_at_the_same_moment_share_one_home() throws Exception {
    for (int round = 0; round < 300; round++) {
      RuntimeHost host = RuntimeHost.of(vertx);
      CyclicBarrier together = new CyclicBarrier(2);
      Set<Context> homes = ConcurrentHashMap.newKeySet();
      Callable<Boolean> begin = () -> homes.add(homeOf(host, together));
      threads.invokeAll(List.of(begin, begin));

      assertThat(homes).hasSize(1);
      host.close().await(30, SECONDS);
    }
  }

  @Test
  void an_answer_comes_though_the_vertx_of_its_caller_is_closed_meanwhile() throws Exception {
    RuntimeHost host = RuntimeHost.of(vertx);
    host.start().await(30, SECONDS);
    Promise<String> work = Promise.promise();
    Promise<Future<String>> asked = Promise.promise();
    Vertx callers = Vertx.vertx();
    callers.runOnContext(turn -> asked.complete(host.call(work::future)));
    Future<String> answer = asked.future().await(30, SECONDS);
    callers.close().await(30, SECONDS);

    work.complete("done");

    assertThat(answer.await(30, SECONDS)).isEqualTo("done");
    host.close().await(30, SECONDS);
  }

  private static Context homeOf(RuntimeHost host, CyclicBarrier together) throws Exception {
    together.await(30, SECONDS);
    host.start();
    return host.call(() -> Future.succeededFuture(Vertx.currentContext())).await(30, SECONDS);
  }
}
