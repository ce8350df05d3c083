/**
 * The row of the run that is active: begun, taken over, cancelled, ended.
 */
@NullMarked
package dev.runlane.connector.store.run;

import org.jspecify.annotations.NullMarked;
