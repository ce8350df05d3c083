package dev.runlane.run;

import java.time.Duration;

/** Every number that applies where nobody chose another, with its unit. */
public final class ContractDefaults {
  /** The expected sequence of a run that does not exist yet = 0; its first event has sequence 1. */
  public static final long NEW_EVENT_SEQUENCE = 0;

  /** The largest sequence = 2^53 − 1, the largest integer that every JSON reader keeps exact. */
  public static final long MAX_EVENT_SEQUENCE = (1L << 53) - 1;

  /** The actor of everything that no person asked for. */
  public static final Actor SYSTEM_ACTOR = new Actor(Actor.Type.SYSTEM, null);

  /** The name of the queue that is used where none is chosen = {@value}. */
  public static final String QUEUE = "default";

  /** The longest duration that is taken, of whatever it is = 36 500 days. */
  public static final Duration LONGEST_DURATION = Duration.ofDays(36_500);

  /** How long a terminal run keeps its idempotency key = 30 days. */
  public static final Duration IDEMPOTENCY_KEY_TTL = Duration.ofDays(30);

  /** First pause of the exponential retry and publish back-off = 1 s. */
  public static final Duration BACKOFF_FIRST = Duration.ofSeconds(1);

  /** Longest pause of the exponential retry and publish back-off = 5 min. */
  public static final Duration BACKOFF_MOST = Duration.ofMinutes(5);

  /** Part by which a back-off varies in both directions = 0.2. */
  public static final double BACKOFF_JITTER = 0.2;

  /** Rows in a page where no limit is given = {@value}. */
  public static final int PAGE_LIMIT = 50;

  /** Most rows in a page = {@value}; a larger limit is cut to it. */
  public static final int MAX_PAGE_LIMIT = 200;

  /** Runs removed by one prune call where no limit is given = {@value}. */
  public static final int PRUNE_LIMIT = 500;

  /** Name of a lane where none is given = {@value}. */
  public static final String LANE_NAME = "lane";

  /** How long a lease lasts without a heartbeat = 30 s. Heartbeats come at a third of it. */
  public static final Duration LEASE = Duration.ofSeconds(30);

  /** The part of a lease by which clocks of different processes may differ = a tenth. */
  public static final int SKEW_DIVISOR = 10;

  /** Attempts that one worker runs at the same time = {@value}. */
  public static final int WORKER_CONCURRENCY = 16;

  /** Pause between two polls of a worker that no transport wakes = 1 s. */
  public static final Duration POLL_WITHOUT_WAKEUPS = Duration.ofSeconds(1);

  /** Pause between two safety-net polls of a worker that a transport wakes = 30 s. */
  public static final Duration POLL_WITH_WAKEUPS = Duration.ofSeconds(30);

  /** Pause between two sweeps of the dispatcher, the outbox publisher and the scheduler = 1 s. */
  public static final Duration SWEEP = Duration.ofSeconds(1);

  /** Pause between two sweeps of the cancellation finalizer = 5 s. */
  public static final Duration CANCELLATION_SWEEP = Duration.ofSeconds(5);

  /** How long a dispatch reservation lasts where the queue does not say = 60 s. */
  public static final Duration DISPATCH_RESERVATION = Duration.ofSeconds(60);

  /** How long a claim on outbox messages lasts = 30 s. */
  public static final Duration OUTBOX_CLAIM = Duration.ofSeconds(30);

  /** Outbox messages claimed at once = {@value}. */
  public static final int OUTBOX_BATCH = 100;

  /** Failed publish attempts after which an outbox message is dead-lettered = {@value}. */
  public static final int PUBLISH_ATTEMPTS = 10;

  /** How long a claim on a schedule occurrence lasts = 60 s. */
  public static final Duration SCHEDULE_CLAIM = Duration.ofSeconds(60);

  /** Rows that one phase of a maintenance sweep takes = {@value}. */
  public static final int SWEEP_LIMIT = 100;

  /** How long a scheduled run, which owns an outbox row, waits past its due time before it is recovered = 5 s. */
  public static final Duration SCHEDULED_RECOVERY_DELAY = Duration.ofSeconds(5);

  /** Attempts lost in a row with their worker before a run is failed as a crash loop = {@value}. */
  public static final int MAX_LOST_ATTEMPTS = 5;

  /** How long an attempt may continue after its signal fired for a timeout = 5 s. */
  public static final Duration ATTEMPT_TIMEOUT_GRACE = Duration.ofSeconds(5);

  /** How long a run waits for a deployment that can read its payload, since the first that could not = 24 h. */
  public static final Duration UNDECODABLE_PAYLOAD_TIMEOUT = Duration.ofHours(24);

  /** Most bytes of UTF-8 in an environment name = {@value}. */
  public static final int MAX_ENVIRONMENT_BYTES = 64;

  /** Most bytes of UTF-8 in the id of a run, task, queue, schedule or worker = {@value}. */
  public static final int MAX_ID_BYTES = 128;

  /** Most bytes of UTF-8 in an idempotency, singleton or concurrency key = {@value}. */
  public static final int MAX_KEY_BYTES = 512;

  /** Tags of one run = 16. */
  public static final int MAX_TAGS = 16;

  /** Bytes of UTF-8 in the name of a tag = 64. */
  public static final int MAX_TAG_NAME_BYTES = 64;

  /** Bytes of UTF-8 in the value of a tag = 256. */
  public static final int MAX_TAG_VALUE_BYTES = 256;

  /** Most bytes of UTF-8 in a payload or an output = 1 MiB. */
  public static final int MAX_PAYLOAD_BYTES = 1 << 20;

  /** Most bytes of UTF-8 in a meta object = 16 KiB. */
  public static final int MAX_META_BYTES = 16 << 10;

  /** Most characters of the message of a failure that is stored, of a run, a step or a job; more are cut = 2 000. */
  public static final int MAX_FAILURE_MESSAGE_CHARACTERS = 2_000;

  /** Most nested objects and arrays in a JSON value = {@value}. */
  public static final int MAX_JSON_DEPTH = 64;

  /** Most steps and sleeps of one run = {@value}. */
  public static final int MAX_STEPS = 1_000;

  /** Most characters of a step's name, group or id = {@value}. */
  public static final int MAX_STEP_NAME_CHARACTERS = 191;

  /**
   * How long an attempt whose steps all wait keeps waiting before its run is released = 50 ms; a fifth of it where
   * no slot is free and other runs may wait for one.
   */
  public static final Duration STEP_WAIT = Duration.ofMillis(50);

  /** How long a recorded result of a step waits for the handler to ask for the one before it = 30 s. */
  public static final Duration STEP_REPLAY_TIMEOUT = Duration.ofSeconds(30);

  /** Most events about steps, retries and releases that an attempt reads from its run's history = {@value}. */
  public static final int MAX_STEP_EVENTS = 20_000;

  /** Most bytes of the results of steps that an attempt keeps = 256 MiB. */
  public static final int MAX_STEP_BYTES = 256 << 20;

  /** How long a remote step may take, all its attempts included, before it fails = 24 h. */
  public static final Duration STEP_DEADLINE = Duration.ofHours(24);

  private ContractDefaults() {}
}
