package dev.runlane.jobs.queue.host;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.jobs.store.JobStore;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CallerContextStoreTest {
  private final Vertx vertx = Vertx.vertx();
  private final Promise<Long> elsewhere = Promise.promise();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(60, SECONDS);
  }

  /** A store that answers whenever, and wherever, the test completes its one promise. */
  private JobStore store() {
    JobStore store = (JobStore) Proxy.newProxyInstance(
        JobStore.class.getClassLoader(), new Class<?>[] {JobStore.class}, (proxy, method, args) -> {
          if (method.getName().equals("sharesEvents")) {
            throw new IllegalStateException("thrown");
          }
          return elsewhere.future();
        });
    return CallerContextStore.of(store, JobsHost.of(vertx, 1));
  }

  @Test
  void an_answer_from_another_thread_comes_on_the_callers_context() throws Exception {
    JobStore store = store();
    Promise<Boolean> same = Promise.promise();
    Promise<Void> asked = Promise.promise();
    Context caller = vertx.getOrCreateContext();
    caller.runOnContext(start -> {
      Future<Long> answer = store.getActiveCount("mail");
      answer.onComplete(done -> same.complete(Vertx.currentContext() == caller));
      asked.complete();
    });
    asked.future().await(60, SECONDS);

    elsewhere.complete(7L);

    assertThat(same.future().await(60, SECONDS)).isTrue();
  }

  @Test
  void what_the_store_throws_is_thrown_as_it_is() {
    assertThatThrownBy(() -> store().sharesEvents())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("thrown");
  }
}
