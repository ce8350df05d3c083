/**
 * Folders of servers: locked, copied, cached, unpacked, removed, and owned by an account that a server may
 * run as.
 */
@NullMarked
package dev.runlane.testinfra.folder;

import org.jspecify.annotations.NullMarked;
