package dev.runlane.cli.run;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.run.Json;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks whoever sits at the terminal, on a thread of its own, because reading there cannot be
 * stopped. What is typed is not echoed where there is a terminal, and is kept nowhere.
 */
final class TerminalAnswers implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final PrintStream out;
  private final BufferedReader lines;
  private final @Nullable Console console;
  private final BiConsumer<String, Optional<Json>> answered;
  private final ExecutorService reader = Executors.newSingleThreadExecutor(TerminalAnswers::thread);

  /**
   * Nothing is asked yet.
   *
   * @param lines what is typed where there is no terminal
   * @param console null where there is no terminal
   * @param answered is given the question's id and the answer, empty for one that was declined
   */
  TerminalAnswers(
      PrintStream out,
      BufferedReader lines,
      @Nullable Console console,
      BiConsumer<String, Optional<Json>> answered) {
    this.out = out;
    this.lines = lines;
    this.console = console;
    this.answered = answered;
  }

  /** Asks, and returns before there is an answer. */
  void ask(Question question) {
    reader.execute(() -> answered.accept(question.id(), answer(question)));
  }

  /** Asks nothing more; a question that is open stays unanswered. */
  @Override
  public void close() {
    reader.shutdownNow();
  }

  private Optional<Json> answer(Question question) {
    out.println("The connector asks: " + PlainText.oneLine(question.message()));
    if (question.values().isEmpty()) {
      return read("Enter when it is done, no to decline: ")
          .filter(line -> !line.strip().equalsIgnoreCase("no"))
          .map(done -> Json.ofChecked("{}"));
    }
    ObjectNode data = JSON.createObjectNode();
    for (String name : question.values()) {
      Optional<String> value =
          read(PlainText.oneLine(name) + " (empty to decline): ").filter(line -> !line.isEmpty());
      if (value.isEmpty()) {
        return Optional.empty();
      }
      data.put(name, value.get());
    }
    return Optional.of(Json.ofChecked(data.toString()));
  }

  /** Empty at the end of the input. */
  private Optional<String> read(String prompt) {
    out.print(prompt);
    out.flush();
    if (console != null) {
      return Optional.ofNullable(console.readPassword()).map(String::new);
    }
    try {
      return Optional.ofNullable(lines.readLine());
    } catch (IOException broken) {
      out.println("The answer cannot be read: " + broken.getMessage());
      return Optional.empty();
    }
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "answers");
    thread.setDaemon(true);
    return thread;
  }
}
