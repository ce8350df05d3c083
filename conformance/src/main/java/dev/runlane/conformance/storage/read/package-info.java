/**
 * Reading runs and events: single runs, pages, cursors and the scans of the periodic roles.
 */
@NullMarked
package dev.runlane.conformance.storage.read;

import org.jspecify.annotations.NullMarked;
