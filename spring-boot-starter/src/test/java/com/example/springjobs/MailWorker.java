package com.example.springjobs;

import com.example.springjobs.MailJobs.Mail;
import com.example.springjobs.MailJobs.MailServer;
import dev.runlane.jobs.queue.JobWorker;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.telemetry.metrics.JobMetrics;
import java.time.Duration;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/** Begins when all beans are there; stops after the web server and before the runtime, so that it may trigger. */
class MailWorker implements SmartLifecycle, DisposableBean {
  private final Jobs jobs;
  private final JobMetrics metrics;
  private final MailServer server;
  private volatile JobWorker worker; // null: it has not started, or has stopped

  MailWorker(Jobs jobs, JobMetrics metrics, MailServer server) {
    this.jobs = jobs;
    this.metrics = metrics;
    this.server = server;
  }

  @Override
  public void start() {
    JobProcessor processor = JobProcessor.blocking((job, signal) -> {
      server.send(job.dataAs(Mail.class));
      return JobResult.done();
    });
    JobWorkerOptions options = new JobWorkerOptions()
        .setConcurrency(8)
        .setDrainTimeout(Duration.ofSeconds(15)) // 30 s unless set
        .setAutoStart(false);
    worker = metrics.observe(jobs.worker("mails", processor, options)).start();
  }

  @Override
  public void stop() {
    worker.close().await(); // takes no job any more; ends within the drain timeout and 2 s
    worker = null;
  }

  @Override
  public boolean isRunning() {
    return worker != null;
  }

  @Override
  public int getPhase() {
    return SmartLifecycle.DEFAULT_PHASE - 4000; // the runtime's is 4096 below
  }

  @Override
  public void destroy() {
    jobs.close().eventually(jobs.store()::disconnect).await();
  }
}
