package dev.runlane.connectorkit.message;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tells the owner that something is to be done elsewhere, without waiting for an answer: the connector continues, or
 * waits for the source by itself. For an answer see {@link Interaction}.
 *
 * @param posture what the connector does meanwhile
 * @param action what the owner is to do
 * @param message what the owner reads; without secrets
 * @param stream null when it concerns no single stream
 */
public record Assistance(
    Posture posture,
    OwnerAction action,
    String message,
    @Nullable String stream) {

  /** Refuses a blank message. */
  public Assistance {
    if (message.isBlank()) {
      throw new IllegalArgumentException("assistance has a message");
    }
  }

  /** Asks the owner to act elsewhere, for example to confirm on a phone, while the connector waits. */
  public static Assistance elsewhere(String message) {
    return new Assistance(Posture.BLOCKED, OwnerAction.ACT_ELSEWHERE, message, null);
  }

  /** The same about one stream. */
  public Assistance about(String name) {
    return new Assistance(posture, action, message, name);
  }

  /** What a connector does while it is assisted. */
  public enum Posture {
    /** It continues. */
    RUNNING,
    /** It cannot continue. */
    BLOCKED,
    /** It tries again by itself. */
    WAITING_RETRY;

    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What the owner is to do. */
  public enum OwnerAction {
    /** Nothing. */
    NONE,
    /** Something on another device or site. */
    ACT_ELSEWHERE,
    /** Something with the browser that the connector shows. */
    OPERATE_ATTACHMENT;

    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** How it ended. */
  public enum End {
    /** It was done. */
    RESOLVED,
    /** It is not needed any more. */
    CANCELLED,
    /** It was not done in time. */
    TIMED_OUT,
    /** Somebody else has to see to it. */
    ESCALATED;

    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
