package dev.runlane.connector.process;

import dev.runlane.connector.process.line.OutputEnd;
import dev.runlane.connector.process.os.ProcessIdentity;
import io.vertx.core.Future;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** A controller in a process of its own: says what it started, and stays until it is killed. */
final class Controller {
  private Controller() {}

  /** Starts one child for each script. {@code gate:} before a script leaves it at its gate. */
  public static void main(String[] scripts) throws Exception {
    Children children = new Children();
    ProcessIdentity self = children.processes.self();
    System.out.printf(
        "controller %s %s %s %s%n", self.host(), self.bootId(), self.pid(), self.startTicks());
    for (String script : scripts) {
      boolean gated = script.startsWith("gate:");
      ChildProcess<String> child =
          children.launch(Children.shell(gated ? script.substring("gate:".length()) : script));
      Children.Collected collected = new Children.Collected(child);
      if (!gated) {
        children.open(child, collected);
        collected.awaitLine("up");
      }
      System.out.println("child " + child.identity().pid());
    }
    System.out.println("ready");
    new CountDownLatch(1).await();
  }

  /** Counts what one child writes, in a heap that holds none of it. */
  static final class Counting {
    private Counting() {}

    public static void main(String[] script) {
      Children children = new Children();
      ChildProcess<Integer> child = children.launch(
          Children.shell(script[0]), (bytes, offset, length, number) -> length, text -> text);
      AtomicLong lines = new AtomicLong();
      AtomicLong bytes = new AtomicLong();
      children.open(child, batch -> {
        lines.addAndGet(batch.items().size());
        batch.items().forEach(bytes::addAndGet);
        return Future.succeededFuture();
      });
      OutputEnd end = Children.await(child.outputEnd());
      children.onContext(child::terminate);
      Children.await(child.ended());
      children.close();
      System.out.printf("%s lines, %s bytes, %s%n", lines.get(), bytes.get(), end);
    }
  }
}
