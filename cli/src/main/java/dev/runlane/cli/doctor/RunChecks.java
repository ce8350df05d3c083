package dev.runlane.cli.doctor;

import static dev.runlane.cli.doctor.Examination.instant;
import static dev.runlane.cli.doctor.Finding.Severity.ERROR;
import static dev.runlane.cli.doctor.Finding.Severity.WARNING;

import dev.runlane.cli.terminal.PlainText;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.pg.PgStorageOptions;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checks of what is due, and of who is there to do it. */
final class RunChecks {
  private static final SqlStatement<@Nullable Void> PROCESSES = SqlStatement.plain("processes");
  private static final SqlStatement<Asked> OUTBOX = SqlStatement.of("outbox", Asked.late());
  private static final SqlStatement<Asked> CAPACITY =
      SqlStatement.of("capacity", Asked.byEnvironment());
  private static final SqlStatement<Asked> ENVIRONMENTS =
      SqlStatement.of("other_environments", Asked.byEnvironment());
  private static final SqlStatement<Asked> QUEUES =
      SqlStatement.of("queues_without_process", Asked.gone());
  private static final SqlStatement<Asked> PAUSED =
      SqlStatement.of("paused_queues", Asked.byEnvironment());
  private static final SqlStatement<Asked> TASKS =
      SqlStatement.of("tasks_without_process", Asked.gone());
  private static final SqlStatement<Asked> LEASES = SqlStatement.of("lost_leases", Asked.late());
  private static final SqlStatement<Asked> GONE = SqlStatement.of("gone_processes", Asked.gone());
  private static final SqlStatement<Asked> CLOCKS =
      SqlStatement.of("clocks_of_processes", Asked.gone());
  private static final SqlStatement<Asked> STEPS = SqlStatement.of("waiting_steps", Asked.late());
  private static final SqlStatement<Asked> UNANSWERED =
      SqlStatement.of("unanswered_steps", Asked.unanswered());

  private static final SqlStatement<Asked> SCHEDULES =
      SqlStatement.of("failing_schedules", Asked.byEnvironment());
  private static final SqlStatement<Asked> WEBHOOKS =
      SqlStatement.of("late_webhooks", Asked.late());
  private static final SqlStatement<Asked> PAUSED_SCHEDULES =
      SqlStatement.of("paused_schedules", Asked.byEnvironment());

  static final List<SqlStatement<?>> STATEMENTS = List.of(
      ENVIRONMENTS,
      PROCESSES,
      OUTBOX,
      CAPACITY,
      QUEUES,
      PAUSED,
      TASKS,
      LEASES,
      GONE,
      CLOCKS,
      STEPS,
      UNANSWERED,
      SCHEDULES,
      PAUSED_SCHEDULES,
      WEBHOOKS);

  static final List<Check> ALL = List.of(
      new Check("environment", RunChecks::environment),
      new Check("pools", RunChecks::pools),
      Check.ofRow("outbox", OUTBOX, RunChecks::outbox),
      new Check("capacity", RunChecks::capacity),
      Check.ofRows(
          "queues",
          QUEUES,
          ERROR,
          (row, examination) -> row.getLong("runs") + " runs of queue " + row.getString("queue")
              + " are due, the oldest since " + instant(row, "oldest")
              + ", and no living process works on that queue.",
          "Nobody takes them: a process that has the queue takes none without a worker of it.",
          (row, examination) -> "Start a worker of the queue, or: runlane runs cancel --queue "
              + word(row, "queue") + " --dry-run"),
      Check.ofRows(
          "paused",
          PAUSED,
          WARNING,
          (row, examination) -> row.getLong("runs") + " runs of queue " + row.getString("queue")
              + " are due, the oldest since " + instant(row, "oldest") + ", but "
              + row.getString("actor") + " paused it at " + instant(row, "paused_at")
              + (row.getString("reason").isEmpty() ? "." : ": " + row.getString("reason")),
          "Nobody takes them until it is resumed; triggers and schedules make more.",
          (row, examination) -> "runlane queues resume " + word(row, "queue")),
      Check.ofRows(
          "tasks",
          TASKS,
          ERROR,
          (row, examination) ->
              row.getLong("runs") + " runs of task " + row.getString("task_id") + " in queue "
                  + row.getString("queue") + " are due, the oldest since " + instant(row, "oldest")
                  + ", and no living process that works on that queue has the task.",
          "Nobody takes them.",
          (row, examination) -> "Deploy the task, or: runlane runs cancel --task "
              + word(row, "task_id") + " --queue " + word(row, "queue") + " --dry-run"),
      Check.ofRow("leases", LEASES, RunChecks::leases),
      Check.ofRows(
          "processes",
          GONE,
          WARNING,
          (row, examination) -> "Process " + row.getString("process_id") + " on "
              + row.getString("host")
              + " gave no sign of life since " + instant(row, "last_seen") + ", and holds "
              + row.getLong("runs") + " runs until " + instant(row, "until") + " at the latest.",
          "Nobody works on them, and nobody may take them over before their leases end.",
          (row, examination) -> "See what became of it; which runs: runlane workers --leases "
              + word(row, "process_id")),
      Check.ofRows(
          "clocks",
          CLOCKS,
          ERROR,
          (row, examination) -> "The clock of process " + row.getString("process_id") + " on "
              + row.getString("host") + " is " + Math.abs(row.getLong("clock_offset_millis"))
              + " ms " + (row.getLong("clock_offset_millis") < 0 ? "behind" : "ahead of")
              + " the database's.",
          "It claims nothing where that is more than a tenth of the lease; its schedules fire early or late.",
          (row, examination) -> "On that machine: timedatectl set-ntp true"),
      Check.ofRows(
          "steps",
          STEPS,
          WARNING,
          (row, examination) ->
              row.getLong("steps") + " remote steps of group " + row.getString("grp")
                  + " wait to be looked after, the oldest since " + instant(row, "oldest") + ".",
          "Nobody asks workers for them: their runs wait until somebody does.",
          (row, examination) ->
              "Start a process with the role stepDispatcher and the step transport."),
      Check.ofRows(
          "unanswered_steps",
          UNANSWERED,
          WARNING,
          (row, examination) -> row.getLong("steps") + " remote steps of group "
              + row.getString("grp")
              + " were given to its workers ten minutes ago and more, the oldest at "
              + instant(row, "oldest") + ", and have no answer; the first fails at "
              + instant(row, "deadline") + ".",
          "Their runs wait: no worker of the group lives, or its handlers are slow.",
          (row, examination) ->
              "Start a worker of the group; which runs: runlane steps list --group "
                  + word(row, "grp")),
      Check.ofRows(
          "schedules",
          SCHEDULES,
          ERROR,
          (row, examination) -> "Schedule " + row.getString("schedule_id") + " of task "
              + row.getString("task_id") + " fires, but its runs have failed since the fire of "
              + instant(row, "since") + ".",
          "What it is for is not done, and each fire makes one more failed run.",
          (row, examination) ->
              "See why, mend the task and run the last one again: runlane runs list"
                  + " --status failed --task " + word(row, "task_id")),
      Check.ofRows(
          "paused_schedules",
          PAUSED_SCHEDULES,
          WARNING,
          (row, examination) -> "Schedule " + row.getString("schedule_id") + " of task "
              + row.getString("task_id") + " is paused: " + row.getString("actor")
              + " did it at " + instant(row, "paused_at")
              + (row.getString("reason").isEmpty() ? "." : ": " + row.getString("reason")),
          "It makes no runs, and a resume makes up for none of them.",
          (row, examination) ->
              "runlane schedules resume " + word(row, "task_id") + " " + word(row, "schedule_id")),
      Check.ofRows(
          "webhooks",
          WEBHOOKS,
          WARNING,
          (row, examination) -> "Webhook " + row.getString("webhook_id") + " was not told of "
              + row.getLong("ends") + " ends of runs, the oldest at " + instant(row, "oldest")
              + ".",
          "Its receiver refuses them, or no living process tells it.",
          (row, examination) -> "See the log of the processes that deploy WebhookVerticle, or"
              + " deploy one with this webhook."));

  private RunChecks() {}

  /** One is there from the first start of a process in it on; who has just migrated has none. */
  private static Future<List<Finding>> environment(Examination examination) {
    return examination
        .rows(ENVIRONMENTS, row -> row.getString("environment_key"))
        .map(others -> others.isEmpty()
            ? List.of()
            : List.of(new Finding(
                "environment",
                WARNING,
                "There is no environment " + examination.asked().environment()
                    + " in this schema, but " + String.join(", ", others) + ".",
                "Nothing of what is there was looked at: the checks of runs found none.",
                others.size() == 1
                    ? "export RUNLANE_ENVIRONMENT=" + PlainText.shellWord(others.get(0))
                    : "Look at one of them: export RUNLANE_ENVIRONMENT=NAME")));
  }

  private static Future<List<Finding>> pools(Examination examination) {
    return examination.plainRow(PROCESSES).compose(living -> examination
        .plainRow(ServerChecks.CONNECTIONS)
        .map(row -> pools(living.getInteger("living"), row.getInteger("usable"))));
  }

  private static List<Finding> pools(int processes, int usable) {
    int wanted = processes * (PgStorageOptions.DEFAULT_POOL_SIZE + 1);
    return wanted <= usable
        ? List.of()
        : List.of(new Finding(
            "pools",
            WARNING,
            processes + " living processes may open " + wanted
                + " connections with pools of the default size, but the server has " + usable + ".",
            "Under load, processes will be refused connections.",
            "Set poolOptions.maxSize of the processes to "
                + Math.max(1, usable / Math.max(1, processes) - 1)
                + ", or put a pooler before the server."));
  }

  private static List<Finding> outbox(Row row) {
    List<Finding> findings = new ArrayList<>();
    if (row.getLong("dead") > 0) {
      findings.add(new Finding(
          "outbox",
          ERROR,
          row.getLong("dead") + " wakeups were given up.",
          "Only a polling worker finds their runs.",
          "Mend the transport, which runlane outbox list tells the failures of; then:"
              + " runlane outbox redrive --dead-letters --yes"));
    }
    if (row.getLong("failing") > 0) {
      findings.add(new Finding(
          "outbox",
          WARNING,
          row.getLong("failing") + " wakeups could not be published and are tried again.",
          "Their runs start late.",
          "Look at the transport; runlane runs explain RUN names the failure."));
    }
    if (row.getLong("late") > 0) {
      findings.add(new Finding(
          "outbox",
          ERROR,
          row.getLong("late") + " wakeups are due for more than a minute, the oldest since "
              + instant(row, "oldest") + ".",
          "No process publishes them: no publisher runs, or it cannot keep up.",
          "Start a process with the role outboxPublisher."));
    }
    return findings;
  }

  private static Future<List<Finding>> capacity(Examination examination) {
    String schema = examination.schema();
    return examination.rows(
        CAPACITY,
        row -> new Finding(
            "capacity",
            ERROR,
            "Queue " + row.getString("queue") + ", partition '" + row.getString("partition")
                + "': the row counts " + row.getInteger("counted") + " slots, but "
                + row.getInteger("occupied") + " runs occupy one.",
            row.getInteger("counted") > row.getInteger("occupied")
                ? "Fewer runs than the limit may run, or none."
                : "More runs than the limit may run.",
            recount(
                schema,
                literal(examination.asked().environment()),
                literal(row.getString("queue")),
                literal(row.getString("partition")))));
  }

  /** Of this environment alone, and where there is no row as well. */
  private static String recount(String schema, String environment, String queue, String partition) {
    return "INSERT INTO " + schema + ".queue_capacity (env, queue, partition, used) SELECT e.env, "
        + queue + ", " + partition + ", (SELECT count(*) FROM " + schema
        + ".active_runs a WHERE a.env = e.env AND a.queue = " + queue + " AND a.partition = "
        + partition + " AND a.occupies) FROM " + schema
        + ".environments e WHERE e.environment_key = " + environment
        + " ON CONFLICT (env, queue, partition) DO UPDATE SET used = excluded.used;"
        + " -- while no worker of the queue runs";
  }

  private static String literal(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static List<Finding> leases(Row row) {
    return row.getLong("runs") == 0
        ? List.of()
        : List.of(new Finding(
            "leases",
            ERROR,
            row.getLong("runs") + " runs have lost their worker, the oldest at "
                + instant(row, "oldest") + ", and nobody took them over.",
            "They stay running, and keep their slots, until a worker of their queue and task comes.",
            "Start a worker of their queue and task: runlane runs list --status running"));
  }

  /** A name of a row in a command that mends. */
  private static String word(Row row, String column) {
    return PlainText.shellWord(row.getString(column));
  }
}
