package dev.runlane.connectorkit.browser;

import com.microsoft.playwright.BrowserContext;

/** Finds out whether the owner is logged in. */
@FunctionalInterface
public interface SessionProbe {

  /**
   * Whether the profile's session is live. Mostly opens a page that only a logged-in owner sees. What it
   * throws fails the run.
   */
  boolean isLive(BrowserContext context) throws Exception;
}
