package dev.runlane.postgres.statement;

/** How a database wants parameters marked in the text that it prepares. */
public enum Placeholders {
  /** {@code $1}, {@code $2}: each name has one position, wherever and however often it stands. PostgreSQL. */
  NUMBERED,

  /** {@code ?}: a name that stands twice is sent twice, and a list has as many places as values. MySQL. */
  QUESTION_MARKS
}
