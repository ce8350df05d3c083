package dev.runlane.cli.fleet;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.operator.process.TopicLag;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code runlane outbox lag}. */
@Command(
    name = "lag",
    header = "Lists how far the consumers of each topic are behind.",
    description =
        "Of a lane with a broker, as the processes tell it every 5 s that consume its topics.",
    footer = {"Example:", "  runlane outbox lag --partitions"})
final class OutboxLagCommand extends OperatorCommand {
  @Option(
      names = "--partitions",
      description = "Each partition, with the process that consumes it.")
  private boolean partitions;

  OutboxLagCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    return operations -> {
      List<TopicLag> topics = console().await(operations.topicLags());
      if (isJson()) {
        console().out().println(JsonAnswers.page(new Page<>(topics, null), OutboxLagCommand::json));
      } else if (topics.isEmpty()) {
        console()
            .err()
            .println("No process tells of a topic: none consumes one, or the lane has no broker.");
      } else {
        (partitions ? ofPartitions(topics) : ofTopics(topics))
            .print(console().out(), console().terminal());
      }
      return OperatorExit.DONE;
    };
  }

  private static Table ofTopics(List<TopicLag> topics) {
    Table table = new Table(
        Column.shrinking("TOPIC"),
        Column.shrinking("GROUP"),
        Column.shrinking("QUEUE").spare(2),
        Column.number("UNSETTLED"),
        Column.number("PARTITIONS").spare(1),
        Column.number("MOST").spare(3),
        Column.number("LEFT"));
    topics.forEach(topic -> table.add(
        Cell.of(topic.topic()),
        Cell.of(topic.group()),
        Cell.of(topic.queue()),
        Cell.of(topic.records()),
        Cell.of(topic.partitions().size()),
        Cell.of(topic.mostRecords()),
        topic.left().isEmpty()
            ? Cell.of("")
            : new Cell(String.valueOf(topic.left().size()), Style.BAD)));
    return table;
  }

  private Table ofPartitions(List<TopicLag> topics) {
    Instant now = console().clock().now();
    Table table = new Table(
        Column.shrinking("TOPIC"),
        Column.shrinking("GROUP"),
        Column.number("PARTITION"),
        Column.number("UNSETTLED"),
        Column.number("TOLD").spare(2),
        Column.whole("PROCESS").spare(1),
        Column.whole("STATE"));
    topics.forEach(topic -> topic
        .partitions()
        .forEach(each -> table.add(
            Cell.of(topic.topic()),
            Cell.of(topic.group()),
            Cell.of(each.partition()),
            Cell.of(each.records()),
            Cell.of(PlainText.age(each.toldAt(), now)),
            Cell.of(each.processId()),
            new Cell(
                each.isLeft() ? "left" : "consumed", each.isLeft() ? Style.BAD : Style.GOOD))));
    return table;
  }

  private static ObjectNode json(TopicLag topic) {
    ObjectNode answer = JsonAnswers.object()
        .put("topic", topic.topic())
        .put("group", topic.group())
        .put("queue", topic.queue())
        .put("records", topic.records());
    ArrayNode all = answer.putArray("partitions");
    topic.partitions().forEach(each -> all.addObject()
        .put("partition", each.partition())
        .put("records", each.records())
        .put("processId", each.processId())
        .put("toldAt", each.toldAt().toString())
        .put("left", each.isLeft()));
    return answer;
  }
}
