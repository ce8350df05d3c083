package dev.runlane.runtime.webhook;

import dev.runlane.operator.webhook.EndFilter;
import dev.runlane.run.RunStatus;
import dev.runlane.webhook.WebhookEndpoint;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * An address that is notified of each end of a run that fits, by an HTTP POST. Immutable. Address and secret stay in
 * the process that delivers; the storage knows the id and what is reported.
 */
public final class Webhook {
  private final WebhookEndpoint endpoint;
  private final EndFilter filter;

  private Webhook(WebhookEndpoint endpoint, EndFilter filter) {
    this.endpoint = endpoint;
    this.filter = filter;
  }

  /**
   * Told of every end.
   *
   * @param id stable: with it, what is left to tell
   * @param address an absolute http or https address
   * @param secret at least 16 bytes of UTF-8, with which each request is signed
   */
  public static Webhook to(String id, URI address, String secret) {
    return new Webhook(WebhookEndpoint.of(id, address, secret), EndFilter.ALL);
  }

  /** The same for ends with one of these statuses; any, unless given. */
  public Webhook statuses(Set<RunStatus> statuses) {
    return with(new EndFilter(statuses, filter.taskIds(), filter.queues(), filter.tags()));
  }

  /** The same for runs of one of these tasks; any, unless given. */
  public Webhook tasks(List<String> taskIds) {
    return with(new EndFilter(filter.statuses(), taskIds, filter.queues(), filter.tags()));
  }

  /** The same for runs in one of these queues; any, unless given. */
  public Webhook queues(List<String> queues) {
    return with(new EndFilter(filter.statuses(), filter.taskIds(), queues, filter.tags()));
  }

  /** The same for runs that have this tag too, beside those given before. */
  public Webhook tag(String name, String value) {
    Map<String, String> tags = new TreeMap<>(filter.tags());
    tags.put(name, value);
    return with(new EndFilter(filter.statuses(), filter.taskIds(), filter.queues(), tags));
  }

  private Webhook with(EndFilter other) {
    return new Webhook(endpoint, other);
  }

  /** With it, what is left to tell. */
  public String id() {
    return endpoint.id();
  }

  /** What it is notified of. */
  public EndFilter filter() {
    return filter;
  }

  WebhookEndpoint endpoint() {
    return endpoint;
  }

  /** Without address and secret, both of which may let somebody in. */
  @Override
  public String toString() {
    return "Webhook[" + id() + "]";
  }
}
