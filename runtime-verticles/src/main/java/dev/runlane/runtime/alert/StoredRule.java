package dev.runlane.runtime.alert;

import dev.runlane.run.Actor;
import java.time.Instant;

/**
 * A rule as it is kept.
 *
 * @param rule the rule
 * @param version 1 for a new one; grows by one with each change
 * @param actor who changed it last
 * @param changedAt when
 */
public record StoredRule(AlertRule rule, long version, Actor actor, Instant changedAt) {}
