/**
 * API: what webhooks of runs and of jobs share: the address with its secret, the signed request, and how ends that are
 * left to tell are told, at least once each.
 */
@NullMarked
package dev.runlane.webhook;

import org.jspecify.annotations.NullMarked;
