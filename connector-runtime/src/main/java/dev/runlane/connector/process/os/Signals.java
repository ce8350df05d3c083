package dev.runlane.connector.process.os;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends signals, to groups too, which Java cannot. Blocks for the time a shell needs. */
public final class Signals {
  private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  /**
   * Sends one signal. Targets that are gone are passed over.
   *
   * @param signal its name without SIG
   * @param targets pids; a negative one is the group with that number
   */
  public static void send(String signal, Collection<Long> targets) {
    if (targets.isEmpty()) {
      return;
    }
    // The long form: dash takes "kill -KILL -- -1234" for something else and signals nobody.
    List<String> command = new ArrayList<>(
        List.of("/bin/sh", "-c", "kill -s \"$0\" -- \"$@\" 2>/dev/null || :", signal));
    targets.forEach(target -> command.add(Long.toString(target)));
    ProcessBuilder builder = new ProcessBuilder(command)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().clear();
    try {
      Process kill = builder.start();
      kill.getOutputStream().close();
      kill.waitFor();
    } catch (IOException noProcess) {
      LOG.warn("no shell could be started to send SIG{}; sending to single processes", signal);
      targets.forEach(target -> sendAlone(signal, Math.abs(target)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void sendAlone(String signal, long pid) {
    ProcessHandle.of(pid).ifPresent(handle -> {
      boolean sent = signal.equals("KILL") ? handle.destroyForcibly() : handle.destroy();
      LOG.debug("SIG{} to {}: {}", signal, pid, sent);
    });
  }
}
