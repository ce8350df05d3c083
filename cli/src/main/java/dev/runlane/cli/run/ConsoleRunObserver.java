package dev.runlane.cli.run;

import dev.runlane.cli.report.RunReporter;
import dev.runlane.connector.protocol.message.InteractionStatus;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.run.ConnectorRun;
import dev.runlane.connector.run.request.AnswerOutcome;
import dev.runlane.connector.run.request.RunObserver;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import io.vertx.core.Promise;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Optional;

/** Shows a run at the terminal and asks its questions there. */
public final class ConsoleRunObserver implements RunObserver, AutoCloseable {
  private final RunReporter reporter;
  private final PrintStream err;
  private final TerminalAnswers answers;
  private final Promise<ConnectorRun> run = Promise.promise();

  public ConsoleRunObserver(RunReporter reporter, PrintStream err) {
    this.reporter = reporter;
    this.err = err;
    BufferedReader typed =
        new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
    answers = new TerminalAnswers(err, typed, System.console(), this::answered);
  }

  /** The run that this is about; it was begun just now. */
  public void follow(ConnectorRun begun) {
    begun.onStderr(reporter::diagnostics);
    run.complete(begun);
  }

  /** An event is in the timeline. A question is asked after it is shown, so that its prompt stands last. */
  public void onEvent(TimelineEvent event) {
    reporter.event(event);
    if (event.type() == TimelineEventType.INTERACTION_REQUIRED) {
      answers.ask(Question.of(event));
    }
  }

  @Override
  public void violation(Violation violation) {
    reporter.violation(violation);
  }

  @Override
  public void close() {
    answers.close();
  }

  private void answered(String question, Optional<Json> answer) {
    InteractionStatus status =
        answer.isPresent() ? InteractionStatus.SUCCESS : InteractionStatus.CANCELLED;
    run.future()
        .compose(begun -> begun.answer(question, status, answer.orElse(null)))
        .onSuccess(outcome -> {
          if (outcome != AnswerOutcome.DELIVERED) {
            err.println("Nobody waits for this answer any more");
          }
        });
  }
}
