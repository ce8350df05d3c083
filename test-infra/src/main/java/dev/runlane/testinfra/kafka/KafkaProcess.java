package dev.runlane.testinfra.kafka;

import dev.runlane.testinfra.process.ChildServer;
import dev.runlane.testinfra.process.OwnSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One start of a broker, as a child of this process. Its standard input is a pipe that only this
 * process holds open: when it ends, because this process ended in whatever way, the broker stops.
 */
public final class KafkaProcess extends ChildServer {

  private final KafkaFolder folder;

  private KafkaProcess(KafkaFolder folder, Process process) {
    super(process, folder::logTail);
    this.folder = folder;
  }

  /** Starts the broker and does not wait for it. */
  static KafkaProcess spawn(
      List<String> classes, KafkaFolder folder, KafkaPlan plan, int port, int controllerPort)
      throws IOException {
    List<String> command = new ArrayList<>(OwnSession.prefix());
    command.addAll(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:+ExitOnOutOfMemoryError"));
    command.addAll(classes);
    command.addAll(List.of(
        KafkaBinaries.MAIN_CLASS,
        folder.folder().toString(),
        String.valueOf(port),
        String.valueOf(controllerPort),
        plan.isTemporary() ? "temporary" : "keep"));
    plan.settings(port, controllerPort).forEach((name, value) -> command.add(name + "=" + value));
    return new KafkaProcess(folder, begin(command, folder.log()));
  }

  @Override
  public boolean isReady() {
    return folder.isReady(pid());
  }

  @Override
  public String requestStop() {
    try {
      process().getOutputStream().write("stop\n".getBytes(StandardCharsets.UTF_8));
      process().getOutputStream().flush();
      return "";
    } catch (IOException endingAlready) {
      return endingAlready.toString();
    }
  }
}
