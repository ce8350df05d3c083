package dev.runlane.cli.operator;

import java.util.List;
import java.util.Optional;

/** The commands of operators. */
public final class OperatorCommands {
  /** What stands beside the program's other commands. */
  public static final List<Class<?>> TOP = List.of(
      RunsCommand.class,
      TriggerCommand.class,
      QueuesCommand.class,
      PruneCommand.class,
      DoctorCommand.class,
      MigrateCommand.class);

  private OperatorCommands() {}

  /** Makes a command of this package, or none: the type is not one. */
  public static <K> Optional<K> create(Class<K> type, OperatorConsole console)
      throws ReflectiveOperationException {
    return DatabaseCommand.class.isAssignableFrom(type)
        ? Optional.of(type.getDeclaredConstructor(OperatorConsole.class).newInstance(console))
        : Optional.empty();
  }
}
