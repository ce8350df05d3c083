/**
 * Statements by name: texts from resources, parameters and columns by name, checked against each other
 * once for each schema. Not for applications: exported to Runlane's Postgres modules alone.
 */
@NullMarked
package dev.runlane.postgres.statement;

import org.jspecify.annotations.NullMarked;
