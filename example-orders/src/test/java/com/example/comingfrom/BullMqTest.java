package com.example.comingfrom;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class BullMqTest {
  record Car(String colour) {}

  @Test
  void cars_are_painted_ten_a_second_and_again_where_it_failed(RunlaneTesting testing) {
    AtomicInteger tries = new AtomicInteger();

    // new Worker('painter', paint, {concurrency: 4, limiter: {max: 10, duration: 1000}})
    testing
        .jobs()
        .jobs()
        .worker(
            "painter",
            JobProcessor.of((job, signal) -> tries.incrementAndGet() < 3
                ? Future.failedFuture("the nozzle is blocked")
                : Future.succeededFuture(
                    JobResult.done(job.dataAs(Car.class).colour() + " paint"))),
            new JobWorkerOptions()
                .setConcurrency(4)
                .setLimiter(new RateLimit(10, Duration.ofSeconds(1))));
    JobQueue painter = testing.jobs().jobs().queue("painter");

    // queue.add('paint', {colour: 'red'}, {attempts: 3, backoff: {type: 'exponential', …}})
    Job job = testing.result(painter.add(
        "paint",
        new Car("red"),
        JobOptions.builder()
            .attempts(3)
            .backoff(JobBackoff.exponential(Duration.ofSeconds(1)))
            .build()));
    testing.advance(Duration.ofMinutes(1));

    assertThat(job).succeeded().afterAttempts(3);
  }
}
