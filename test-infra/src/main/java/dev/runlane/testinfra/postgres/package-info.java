/**
 * A real Postgres: embedded, in a container or given by an address; its databases, its data folder and its
 * standby.
 */
@NullMarked
package dev.runlane.testinfra.postgres;

import org.jspecify.annotations.NullMarked;
