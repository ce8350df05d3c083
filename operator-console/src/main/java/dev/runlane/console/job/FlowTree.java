package dev.runlane.console.job;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.store.JobStore;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/** A job with those below it, level by level, and no more than a bound. */
final class FlowTree {
  /** The most jobs of one answer = {@value}. */
  static final int MOST = 500;

  private final JobStore store;
  private final JobBodies bodies;
  private final Caller caller;
  private final Deque<Node> open = new ArrayDeque<>();
  private final Set<String> seen = new HashSet<>();
  private boolean isCut;

  FlowTree(JobStore store, JobBodies bodies, Caller caller) {
    this.store = store;
    this.bodies = bodies;
    this.caller = caller;
  }

  /** The tree below this job, with {@code isCut} where there is more. */
  Future<ObjectNode> below(JobData job) {
    ObjectNode tree = add(job);
    return grow().map(grown -> {
      ObjectNode body = JsonNodeFactory.instance.objectNode();
      body.set("flow", tree);
      body.put("isCut", isCut);
      return body;
    });
  }

  private ObjectNode add(JobData job) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.set("job", bodies.summary(job, caller));
    seen.add(job.queueName() + "\n" + job.id());
    open.add(new Node(job, body.putArray("children")));
    return body;
  }

  private Future<Void> grow() {
    Node next = open.poll();
    if (next == null) {
      return Future.succeededFuture();
    }
    JobData parent = next.job();
    return store.getChildrenSummaries(parent.queueName(), parent.id(), MOST).compose(children -> {
      for (JobData child : children) {
        if (seen.size() >= MOST) {
          isCut = true;
        } else if (!seen.contains(child.queueName() + "\n" + child.id())) {
          next.children().add(add(child));
        }
      }
      return isCut ? Future.succeededFuture() : grow();
    });
  }

  /** A job whose children are read later. */
  private record Node(JobData job, ArrayNode children) {}
}
