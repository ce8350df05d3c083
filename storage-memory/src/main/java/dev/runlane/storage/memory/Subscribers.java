package dev.runlane.storage.memory;

import dev.runlane.adapter.Subscription;
import dev.runlane.run.Environment;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listeners of each environment. One that subscribed on a Vert.x context is called there; one that did
 * not is called by whoever has news, before that call ends.
 *
 * @param <L> what a listener is
 */
final class Subscribers<L> {
  private static final Logger LOG = LoggerFactory.getLogger(Subscribers.class);

  private final Map<String, List<Entry>> environments = new ConcurrentHashMap<>();

  Subscription add(Environment environment, L listener) {
    Entry entry = new Entry(environment.environmentKey(), listener, Vertx.currentContext());
    environments
        .computeIfAbsent(environment.environmentKey(), key -> new CopyOnWriteArrayList<>())
        .add(entry);
    return entry;
  }

  /** Calls every listener of the environment that has not unsubscribed. */
  void deliver(Environment environment, Consumer<L> news) {
    for (Entry entry : environments.getOrDefault(environment.environmentKey(), List.of())) {
      entry.deliver(news);
    }
  }

  private final class Entry implements Subscription {
    private final String environmentKey;
    private final L listener;
    private final @Nullable Context context;
    private volatile boolean closed;

    Entry(String environmentKey, L listener, @Nullable Context context) {
      this.environmentKey = environmentKey;
      this.listener = listener;
      this.context = context;
    }

    @Override
    public Future<Void> close() {
      closed = true;
      environments.getOrDefault(environmentKey, List.of()).remove(this);
      return Future.succeededFuture();
    }

    void deliver(Consumer<L> news) {
      if (context == null) {
        call(news);
      } else {
        try {
          context.runOnContext(turn -> call(news));
        } catch (RejectedExecutionException gone) { // with its Vert.x, or the pool of its verticle
          LOG.debug("a listener's context is gone; others are told all the same", gone);
        }
      }
    }

    private void call(Consumer<L> news) {
      if (closed) {
        return;
      }
      try {
        news.accept(listener);
      } catch (RuntimeException thrown) {
        LOG.warn("a listener threw, which it must not; others are told all the same", thrown);
      }
    }
  }
}
