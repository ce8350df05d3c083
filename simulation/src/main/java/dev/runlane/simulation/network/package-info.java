/** What stands between processes and what they share: calls that are slow, refused or never answered, and hints. */
@NullMarked
package dev.runlane.simulation.network;

import org.jspecify.annotations.NullMarked;
