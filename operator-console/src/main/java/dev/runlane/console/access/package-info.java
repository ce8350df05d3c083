/** Who asks, and what they may do and see: tokens, roles, browsers' requests, masks. */
@NullMarked
package dev.runlane.console.access;

import org.jspecify.annotations.NullMarked;
