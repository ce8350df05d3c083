/**
 * A real MariaDB or MySQL: embedded, in a container or given by an address.
 */
@NullMarked
package dev.runlane.testinfra.mariadb;

import org.jspecify.annotations.NullMarked;
