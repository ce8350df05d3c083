/** For connectors written in Java: messages, interactions and browser helpers. */
@NullMarked
package dev.runlane.connectorkit;

import org.jspecify.annotations.NullMarked;
