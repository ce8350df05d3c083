package dev.runlane.postgres;

import dev.runlane.run.RunlaneException;

/** What the failures of one database's driver mean. */
public interface StatementFailures {
  /** Our form of a driver's failure. Our own exceptions pass through unchanged. */
  RunlaneException of(String operation, Throwable failure);

  /** Whether what failed was rolled back because of others and may be sent again as it is. */
  boolean mayBeSentAgain(Throwable failure);

  /** Whether the database itself answered that it did nothing, so that nothing is stored. */
  boolean isRolledBack(Throwable failure);

  /** Whether the connection that answered so is of no more use. */
  boolean endsConnection(Throwable failure);

  /** Whether a server answered that takes no writes, such as a primary that has become a standby. */
  boolean isReadOnly(Throwable failure);
}
