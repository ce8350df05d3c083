package dev.runlane.postgres;

import dev.runlane.storage.CommandOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * A gathered statement whose answers a test decides on. A command is {@code key:number}; a second key may
 * follow, as in {@code key:number:other}.
 */
final class ControlledStatement implements BatchStatement<String, String> {
  private final List<List<String>> sent = new CopyOnWriteArrayList<>();
  private final Function<List<String>, Future<List<CommandOutcome<String>>>> answer;

  private long bytes;
  private volatile boolean silent;

  /** Answers as told, each time it is sent. */
  ControlledStatement(Function<List<String>, Future<List<CommandOutcome<String>>>> answer) {
    this.answer = answer;
  }

  /** Fulfils every command, once {@code gate} is open. */
  static ControlledStatement behind(Promise<Void> gate) {
    return new ControlledStatement(commands -> gate.future().map(open -> fulfilled(commands)));
  }

  static List<CommandOutcome<String>> fulfilled(List<String> commands) {
    List<CommandOutcome<String>> outcomes = new ArrayList<>();
    commands.forEach(command -> outcomes.add(new CommandOutcome.Succeeded<>("done " + command)));
    return outcomes;
  }

  /** The same, with commands that hold so much each. */
  ControlledStatement holding(long bytesOfEach) {
    bytes = bytesOfEach;
    return this;
  }

  @Override
  public long bytes(String command) {
    return bytes;
  }

  /** What is sent from now on is never answered. */
  void stopAnswering() {
    silent = true;
  }

  /** What each statement held, in the order they were sent. */
  List<List<String>> sent() {
    return List.copyOf(sent);
  }

  @Override
  public List<String> keys(String command) {
    List<String> keys = new ArrayList<>(List.of(command.split(":")));
    keys.remove(1);
    return keys;
  }

  @Override
  public Future<List<CommandOutcome<String>>> execute(List<String> commands) {
    sent.add(List.copyOf(commands));
    return silent
        ? Promise.<List<CommandOutcome<String>>>promise().future()
        : answer.apply(commands);
  }
}
