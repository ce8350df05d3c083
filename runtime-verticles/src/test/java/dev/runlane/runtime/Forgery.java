package dev.runlane.runtime;

import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.core.Future;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;

/** A real storage whose claims answer with projections that their events do not make. */
public record Forgery(StorageAdapter real) {
  public StorageAdapter storage() {
    return proxy(
        StorageAdapter.class,
        real,
        (name, answer) -> name.equals("batch")
            ? ((Optional<?>) answer)
                .map(batch ->
                    proxy(BatchStorage.class, (BatchStorage) batch, Forgery::forgedIfClaim))
            : answer);
  }

  private static Object forgedIfClaim(String name, Object answer) {
    return name.equals("claimRuns")
        ? ((Future<?>) answer).map(claimed -> forged((ClaimedRuns) claimed))
        : answer;
  }

  private static ClaimedRuns forged(ClaimedRuns claimed) {
    List<ClaimedRuns.Claimed> runs = claimed.runs().stream()
        .map(each -> new ClaimedRuns.Claimed(each.before(), each.before(), each.events()))
        .toList();
    return new ClaimedRuns(runs, claimed.mayHaveMore());
  }

  private static <T> T proxy(Class<T> type, T target, Rewrite rewrite) {
    return type.cast(Proxy.newProxyInstance(
        Forgery.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) ->
            rewrite.answer(method.getName(), method.invoke(target, arguments))));
  }

  private interface Rewrite {
    Object answer(String method, Object answer);
  }
}
