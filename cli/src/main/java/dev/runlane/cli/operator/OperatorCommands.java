package dev.runlane.cli.operator;

import dev.runlane.cli.application.DevCommand;
import dev.runlane.cli.application.ServeCommand;
import dev.runlane.cli.application.TickCommand;
import dev.runlane.cli.application.WorkerCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.VertxCommand;
import dev.runlane.cli.fleet.ActionsCommand;
import dev.runlane.cli.fleet.AlertsCommand;
import dev.runlane.cli.fleet.OutboxCommand;
import dev.runlane.cli.fleet.QueuesCommand;
import dev.runlane.cli.fleet.SchedulesCommand;
import dev.runlane.cli.fleet.TasksCommand;
import dev.runlane.cli.fleet.WorkersCommand;
import dev.runlane.cli.jobs.JobsCommand;
import dev.runlane.cli.steps.StepsCommand;
import java.lang.reflect.Constructor;
import java.util.List;
import java.util.Optional;

/** The commands of operators. */
public final class OperatorCommands {
  /** What stands beside the program's other commands. */
  public static final List<Class<?>> TOP = List.of(
      RunsCommand.class,
      TriggerCommand.class,
      TasksCommand.class,
      QueuesCommand.class,
      SchedulesCommand.class,
      WorkersCommand.class,
      OutboxCommand.class,
      AlertsCommand.class,
      ActionsCommand.class,
      JobsCommand.class,
      StepsCommand.class,
      PruneCommand.class,
      DoctorCommand.class,
      MigrateCommand.class,
      WorkerCommand.class,
      TickCommand.class,
      ServeCommand.class,
      DevCommand.class);

  private OperatorCommands() {}

  /** Makes a command of operators, or none: the type is not one. */
  public static <K> Optional<K> create(Class<K> type, OperatorConsole console)
      throws ReflectiveOperationException {
    if (!VertxCommand.class.isAssignableFrom(type)) {
      return Optional.empty();
    }
    Constructor<K> constructor = type.getDeclaredConstructor(OperatorConsole.class);
    constructor.setAccessible(true); // commands are made here alone
    return Optional.of(constructor.newInstance(console));
  }
}
