/**
 * Which manifest of a connector is active.
 */
@NullMarked
package dev.runlane.connector.store.manifest;

import org.jspecify.annotations.NullMarked;
