/**
 * For connectors that use a browser: a persistent profile of the owner's, a session that is known to be live, and
 * traces. Needs Playwright on the class path, and Chromium and Node 20 on the machine.
 */
@NullMarked
package dev.runlane.connectorkit.browser;

import org.jspecify.annotations.NullMarked;
