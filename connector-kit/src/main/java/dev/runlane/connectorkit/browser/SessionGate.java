package dev.runlane.connectorkit.browser;

import com.microsoft.playwright.BrowserContext;
import dev.runlane.connectorkit.ConnectorRun;
import dev.runlane.connectorkit.message.ConnectorFailure;
import dev.runlane.connectorkit.message.Interaction;
import dev.runlane.connectorkit.message.RecoveryAction;
import java.util.Locale;

/** Lets only a live session pass. */
final class SessionGate {

  private static final String SUFFIX = "_session_required";
  private static final int LONGEST_CODE = 64;

  private final ConnectorRun run;
  private final BrowserOptions options;

  SessionGate(ConnectorRun run, BrowserOptions options) {
    this.run = run;
    this.options = options;
  }

  void pass(BrowserContext context) {
    EnsureSession ensure = options.getEnsureSession();
    SessionProbe probe = options.getSessionProbe();
    if (ensure != null) {
      calling("the ensureSession hook", () -> {
        ensure.ensure(context, run);
        return true;
      });
    } else if (probe != null && !isLive(probe, context)) {
      promptOwner();
      if (!isLive(probe, context)) {
        throw sessionRequired();
      }
    }
  }

  /** Whatever the answer is, the probe decides: the owner may have logged in and not said so. */
  private void promptOwner() {
    if (!run.start().interactive()) {
      throw sessionRequired();
    }
    run.ask(Interaction.manualAction(options.getManualActionMessage())
        .within(options.getManualActionLimit()));
  }

  private static boolean isLive(SessionProbe probe, BrowserContext context) {
    return calling("the session probe", () -> probe.isLive(context));
  }

  private ConnectorFailure sessionRequired() {
    String name = options.getConnectorName().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
    String start = name.matches("[a-z].*") ? name : "c_" + name;
    String code = start.substring(0, Math.min(start.length(), LONGEST_CODE - SUFFIX.length()));
    return ConnectorFailure.permanent(
        code + SUFFIX,
        "the browser's session with %s is not live".formatted(options.getConnectorName()),
        RecoveryAction.MANUAL_ACTION_REQUIRED);
  }

  private static boolean calling(String what, Check check) {
    try {
      return check.passes();
    } catch (RuntimeException failed) {
      throw failed;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new ConnectorFailure("session_check_failed", what + " was interrupted");
    } catch (Exception failed) {
      throw new ConnectorFailure("session_check_failed", what + " failed").causedBy(failed);
    }
  }

  private interface Check {
    boolean passes() throws Exception;
  }
}
