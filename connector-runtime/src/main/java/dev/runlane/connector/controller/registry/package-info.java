/**
 * Which connectors there are, how each is launched, and where its secrets come from.
 */
@NullMarked
package dev.runlane.connector.controller.registry;

import org.jspecify.annotations.NullMarked;
