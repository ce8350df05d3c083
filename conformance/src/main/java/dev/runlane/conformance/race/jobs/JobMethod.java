package dev.runlane.conformance.race.jobs;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** The methods of a job store that write, by what they are raced for. */
enum JobMethod {
  SAVE,
  SAVE_FLOW,
  FETCH,
  FINISH,
  HAND_OVER,
  FAIL,
  CANCEL,
  CANCEL_OPEN,
  UPDATE,
  UPDATE_HELD,
  UPDATE_EXPECTED,
  REMOVE,
  EXTEND_LOCK,
  EXTEND_HELD_LOCKS,
  RELEASE_LOCK,
  RELEASE_HELD_LOCK,
  APPEND_LOG,
  APPEND_HELD_LOG,
  CLEAR_LOGS,
  PROMOTE_DELAYED,
  PROMOTE,
  PAUSE,
  RESUME,
  CLEAN,
  REMOVE_EXPIRED,
  DRAIN,
  OBLITERATE,
  RETRY,
  REDRIVE,
  NOTIFY_PARENT,
  FAIL_PARENT,
  UPSERT_SCHEDULE,
  REMOVE_SCHEDULE,
  FIRE;

  /** Methods that are about the same things, for races of more than two. */
  static final List<List<JobMethod>> FAMILIES = List.of(
      List.of(FETCH),
      List.of(SAVE),
      List.of(FETCH, FINISH, HAND_OVER, SAVE, FAIL),
      List.of(FINISH, FAIL, CANCEL, CANCEL_OPEN, REMOVE, UPDATE_EXPECTED),
      List.of(FINISH, EXTEND_HELD_LOCKS, RELEASE_HELD_LOCK, UPDATE_HELD, APPEND_HELD_LOG, RETRY),
      List.of(FETCH, PROMOTE, PROMOTE_DELAYED, RETRY, PAUSE, RESUME),
      List.of(CLEAN, RETRY, REMOVE_EXPIRED, REDRIVE, DRAIN, OBLITERATE, FETCH),
      List.of(FINISH, NOTIFY_PARENT, FAIL_PARENT, REMOVE, CANCEL_OPEN),
      List.of(UPSERT_SCHEDULE, REMOVE_SCHEDULE, FIRE),
      List.of(FIRE));

  /** Each with each, and with itself. */
  static List<List<JobMethod>> pairs() {
    List<List<JobMethod>> pairs = new ArrayList<>();
    for (JobMethod one : values()) {
      EnumSet.range(one, values()[values().length - 1])
          .forEach(other -> pairs.add(List.of(one, other)));
    }
    return pairs;
  }
}
