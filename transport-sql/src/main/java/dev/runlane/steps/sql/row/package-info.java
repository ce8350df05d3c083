/**
 * What a row of the two tables holds, whichever database keeps it. Internal: not for applications.
 */
@NullMarked
package dev.runlane.steps.sql.row;

import org.jspecify.annotations.NullMarked;
