/**
 * The life of any server: built, started, restarted, killed and closed; its addresses and the names of its
 * databases.
 */
@NullMarked
package dev.runlane.testinfra.server;

import org.jspecify.annotations.NullMarked;
