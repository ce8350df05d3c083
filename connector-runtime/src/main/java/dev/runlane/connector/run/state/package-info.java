/**
 * What the parts of one run share: the events it records in order, its failures and its retries. Internal: not
 * for applications.
 */
@NullMarked
package dev.runlane.connector.run.state;

import org.jspecify.annotations.NullMarked;
