package dev.runlane.connectorkit.browser;

import com.microsoft.playwright.BrowserContext;
import dev.runlane.connectorkit.ConnectorRun;

/** Logs in where that is needed, in the connector's own way. */
@FunctionalInterface
public interface EnsureSession {

  /**
   * Returns once the session is live; asks the owner through {@code run} where it has to. What it throws fails
   * the run.
   */
  void ensure(BrowserContext context, ConnectorRun run) throws Exception;
}
