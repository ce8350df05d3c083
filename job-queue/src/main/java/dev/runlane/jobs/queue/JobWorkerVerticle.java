package dev.runlane.jobs.queue;

import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.store.JobChecks;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import org.jspecify.annotations.Nullable;

/**
 * A worker while it is deployed, with its handlers on its own context. Each instance is a worker of its own with
 * its own slots. Undeploying it closes the worker as {@link JobWorker#close()} does.
 */
public final class JobWorkerVerticle extends VerticleBase {
  private final Jobs jobs;
  private final String queueName;
  private final JobProcessor processor;
  private final JobWorkerOptions options;
  private @Nullable JobWorker worker;

  /** A verticle for one deployment; the options are copied. Throws {@code ValidationFailed} for a malformed name. */
  public JobWorkerVerticle(
      Jobs jobs, String queueName, JobProcessor processor, JobWorkerOptions options) {
    JobChecks.requireQueue(queueName);
    this.jobs = jobs;
    this.queueName = queueName;
    this.processor = processor;
    this.options = new JobWorkerOptions(options);
  }

  @Override
  public Future<?> start() {
    worker = jobs.worker(queueName, processor, options);
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    return worker == null ? Future.succeededFuture() : worker.close();
  }
}
