/**
 * What a command does: appends and claims, leases, scans, lists and pruning, each whole or not at all.
 * Internal: not for applications.
 */
@NullMarked
package dev.runlane.storage.memory.command;

import org.jspecify.annotations.NullMarked;
