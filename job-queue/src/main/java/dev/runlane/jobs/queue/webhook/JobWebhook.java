package dev.runlane.jobs.queue.webhook;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.webhook.WebhookEndpoint;
import java.net.URI;
import java.util.List;
import java.util.Set;

/**
 * An address that is notified of each end of a job that fits, by an HTTP POST. Immutable. Address and secret stay in
 * the process that delivers; the store knows the id and what is reported.
 */
public final class JobWebhook {
  private final WebhookEndpoint endpoint;
  private final JobEndFilter filter;

  private JobWebhook(WebhookEndpoint endpoint, JobEndFilter filter) {
    this.endpoint = endpoint;
    this.filter = filter;
  }

  /**
   * Told of every end, of all queues of a store. Throws {@code ConfigurationInvalid}.
   *
   * @param id stable: with it, what is left to tell
   * @param address an absolute http or https address
   * @param secret at least 16 bytes of UTF-8, with which each request is signed
   */
  public static JobWebhook to(String id, URI address, String secret) {
    return new JobWebhook(WebhookEndpoint.of(id, address, secret), JobEndFilter.ALL);
  }

  /** The same for jobs that end so, {@code completed} or {@code failed}; both, unless given. */
  public JobWebhook states(Set<JobState> states) {
    return with(new JobEndFilter(states, filter.queueNames(), filter.names()));
  }

  /** The same for jobs in one of these queues; any, unless given. */
  public JobWebhook queues(List<String> queueNames) {
    return with(new JobEndFilter(filter.states(), queueNames, filter.names()));
  }

  /** The same for jobs with one of these names; any, unless given. */
  public JobWebhook names(List<String> names) {
    return with(new JobEndFilter(filter.states(), filter.queueNames(), names));
  }

  private JobWebhook with(JobEndFilter other) {
    return new JobWebhook(endpoint, other);
  }

  /** With it, what is left to tell. */
  public String id() {
    return endpoint.id();
  }

  /** What it is notified of. */
  public JobEndFilter filter() {
    return filter;
  }

  WebhookEndpoint endpoint() {
    return endpoint;
  }

  /** Without address and secret, both of which may let somebody in. */
  @Override
  public String toString() {
    return "JobWebhook[" + id() + "]";
  }
}
