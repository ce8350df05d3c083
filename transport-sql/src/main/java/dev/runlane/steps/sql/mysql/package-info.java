/**
 * The two tables in MySQL and MariaDB: schema, claims, inserts and failures. Internal: not for applications.
 */
@NullMarked
package dev.runlane.steps.sql.mysql;

import org.jspecify.annotations.NullMarked;
