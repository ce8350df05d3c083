package dev.runlane.connector.run.request;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** A browser that the owner can see while a connector waits for something done by hand. */
@FunctionalInterface
public interface BrowserSurface {
  /**
   * Looks whether the browser is still there. A future that fails, and one that takes longer than {@link
   * ConnectorRunOptions#getSurfaceProbeTimeout()}, mean that it is not.
   */
  Future<Probe> probe();

  /**
   * What was found.
   *
   * @param code why the browser cannot be used, such as {@code browser_surface_cdp_unreachable}, or null when
   *     it can
   * @param detail the same for people, without secrets, or null
   */
  record Probe(@Nullable String code, @Nullable String detail) {
    /** The browser can be used. */
    public static final Probe OK = new Probe(null, null);
  }
}
