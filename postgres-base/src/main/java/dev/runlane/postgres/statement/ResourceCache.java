package dev.runlane.postgres.statement;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * What is made of an adapter's resources, such as its bound statements, kept by what it is made for, such as
 * a schema: an adapter that is opened again in the same process finds it. Reading and checking some hundred
 * statements takes a processor longer than all else that opening an adapter does.
 *
 * @param <K> what it is made for, equal by value
 * @param <V> what is made; immutable, since all adapters share it
 */
public final class ResourceCache<K, V> {
  private static final int KEPT =
      16; // of some hundred kilobytes each; few processes use more than one schema

  private final Function<K, V> made;
  private final Map<K, V> kept = new LinkedHashMap<>(KEPT, 0.75f, true) {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > KEPT;
    }
  };

  /**
   * An empty one.
   *
   * @param made makes what is missing; what it throws is thrown to the caller, and nothing is kept
   */
  public ResourceCache(Function<K, V> made) {
    this.made = made;
  }

  /** What is made for the key: the one kept, else a new one. The sixteen that were last asked for are kept. */
  public synchronized V get(K key) {
    V found = kept.get(key);
    if (found == null) {
      found = made.apply(key);
      kept.put(key, found);
    }
    return found;
  }
}
