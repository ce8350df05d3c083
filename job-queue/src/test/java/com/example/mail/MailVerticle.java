package com.example.mail;

import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.store.JobStore;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.util.function.Function;

/** Sends mails in the background, each until it is sent, eight at a time. */
public final class MailVerticle extends VerticleBase {
  public record Mail(String to, String text) {}

  private static final JobOptions PATIENT = JobOptions.builder()
      .attempts(5)
      .backoff(JobBackoff.exponential(Duration.ofSeconds(1)))
      .removeOnComplete(JobRemoval.after(Duration.ofDays(1))) // unless set: kept for ever
      .removeOnFail(JobRemoval.after(Duration.ofDays(30)))
      .build();

  private final JobStore store;
  private final Function<Mail, Future<Void>> smtp;
  private Jobs jobs;
  private JobQueue mails;

  public MailVerticle(JobStore store, Function<Mail, Future<Void>> smtp) {
    this.store = store;
    this.smtp = smtp;
  }

  @Override
  public Future<?> start() {
    return store.connect().onSuccess(connected -> {
      jobs = Jobs.create(vertx, store);
      mails = jobs.queue("mails", PATIENT);
      jobs.worker(
          "mails",
          JobProcessor.of(
              (job, signal) -> smtp.apply(job.dataAs(Mail.class)).map(JobResult.done())),
          new JobWorkerOptions().setConcurrency(8));
    });
  }

  /** Answers when the mail is stored; it is sent soon, whatever crashes meanwhile. */
  public Future<Job> send(Mail mail) {
    return mails.add("send", mail);
  }

  @Override
  public Future<?> stop() {
    return jobs.close().eventually(store::disconnect);
  }
}
