package dev.runlane.drills.jobs;

import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.RateLimit;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What the job drill adds: item by item the same for the same seed. A tenth of the groups belongs to a queue with a
 * rate limit. Nothing is delayed and nothing backs off, so that the order inside a group must be kept.
 *
 * @param seed of everything that varies
 * @param items how many jobs
 * @param groups how many groups in both queues together, a multiple of ten
 */
record JobWorkload(long seed, int items, int groups) {
  /** Groups of one job at a time. */
  static final String FREE = "drill.grouped";

  /** The same, with a rate limit. */
  static final String LIMITED = "drill.grouped.limited";

  /** Hand-outs of the limited queue. */
  static final RateLimit RATE = new RateLimit(8, Duration.ofMillis(200));

  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private static final int PARTS = 10;

  /** The queue of an item. */
  String queue(int number) {
    return isLimited(number) ? LIMITED : FREE;
  }

  /** The id of an item's job, unique in both queues. */
  static String jobId(int number) {
    return "job-" + number;
  }

  /** The group of an item, which belongs to its queue alone. */
  String group(int number) {
    return "group-" + number % groups;
  }

  /** The payload of an item. */
  JobItem item(int number) {
    SplittableRandom random = new SplittableRandom(seed ^ (number * SPREAD));
    int part = random.nextInt(1_000);
    int millis = millis(random.nextInt(100), random);
    if (part < 60) {
      return new JobItem(number, 1 + random.nextInt(2), false, true, millis);
    }
    if (part < 80) {
      return new JobItem(number, 2, false, false, millis);
    }
    if (part < 83) {
      return new JobItem(number, 0, false, true, 3_000);
    }
    return new JobItem(number, 0, part < 120, true, millis);
  }

  /** The options of an item's job. */
  JobOptions options(int number) {
    JobItem item = item(number);
    return JobOptions.builder()
        .jobId(jobId(number))
        .group(JobGroup.of(group(number)))
        .attempts(item.succeeds() ? item.failures() + 1 : item.failures())
        .build();
  }

  /** Most are short; some take long enough to be under way when their process is killed. */
  private static int millis(int part, SplittableRandom random) {
    if (part < 5) {
      return 200 + random.nextInt(300);
    }
    return part < 30 ? random.nextInt(20) : 0;
  }

  private boolean isLimited(int number) {
    return number % groups % PARTS == 0;
  }
}
