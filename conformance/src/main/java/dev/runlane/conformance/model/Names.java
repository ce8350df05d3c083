package dev.runlane.conformance.model;

import dev.runlane.run.Environment;
import java.math.BigInteger;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * What the model and a storage call the same thing: ids of messages and events, tokens and cursors are the storage's
 * own, so that the model makes up names, and learns from the answers what they stand for. Environments are called
 * otherwise in a storage too, so that many sequences share one.
 */
public final class Names {
  private static final String MARK = "~"; // in no id of the alphabet
  private static final String LIKE = "like" + MARK;

  /** What is never called as another of its kind; messages that are claimed together may share a token. */
  private static final Set<String> UNIQUE = Set.of("message", "event", "job", "lock", "delivery");

  private final String scope;
  private final Map<String, String> inStorage = new HashMap<>();
  private final Map<String, String> taken = new HashMap<>(); // by the storage's id
  private int step;
  private int made;

  /** {@code scope} leads the name of each environment in the storage. */
  public Names(String scope) {
    this.scope = scope;
  }

  /** A name that is made from here on belongs to this step, whatever other steps there are. */
  public void begin(int number) {
    step = number;
    made = 0;
  }

  /** A name for a thing that the storage makes in this step. */
  public String make(String kind) {
    made++;
    return kind + MARK + step + MARK + made;
  }

  public static boolean isMade(String text) {
    return text.contains(MARK);
  }

  /** A name for what is easily taken for the named thing, and is nothing that the storage made. */
  public static String resembling(String name) {
    return LIKE + name;
  }

  /** What the storage calls it; empty when it has not shown it yet. */
  public Optional<String> inStorage(String name) {
    return name.startsWith(LIKE)
        ? inStorage(name.substring(LIKE.length())).map(Names::inOtherCase)
        : Optional.ofNullable(inStorage.get(name));
  }

  private static String inOtherCase(String text) {
    String upper = text.toUpperCase(Locale.ROOT);
    String other = upper.equals(text) ? text.toLowerCase(Locale.ROOT) : upper;
    return other.equals(text) ? text + "x" : other;
  }

  public Environment inStorage(Environment environment) {
    return environment.name().isEmpty() ? environment : new Environment(scope + environment.name());
  }

  /** Whether the storage may call it so: always the same, and no two of its kind alike where they are not to be. */
  public boolean mayBe(String name, String found) {
    String before = inStorage.get(name);
    if (before != null) {
      return before.equals(found);
    }
    String kind = name.substring(0, name.indexOf(MARK));
    if (UNIQUE.contains(kind)) {
      String other = taken.putIfAbsent(kind + MARK + found, name);
      if (other != null) {
        return false;
      }
    }
    inStorage.put(name, found);
    return true;
  }

  /** Whether the storage has called something of this kind so. */
  public boolean isShown(String kind, String found) {
    return taken.containsKey(kind + MARK + found);
  }

  /** Whether both stand for one thing: messages that are claimed together may have one token, or each its own. */
  public boolean areOne(String name, String other) {
    return name.equals(other)
        || (inStorage.containsKey(name) && inStorage.get(name).equals(inStorage.get(other)));
  }

  /** The order of event ids, which are decimal numbers. */
  public Comparator<String> eventOrder() {
    return Comparator.comparing(
        name -> new BigInteger(Objects.requireNonNull(inStorage.get(name), name)));
  }
}
