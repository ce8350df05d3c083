package dev.runlane.webhook;

import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Where ends are kept until their webhooks were told of them.
 *
 * @param <D> an end as it is kept
 */
public interface WebhookEnds<D> {
  /** The webhooks' ids. */
  Set<String> webhookIds();

  /** Says which webhooks there are, and what of. */
  Future<Void> register(Instant now);

  /** Up to {@code limit} ends of these webhooks and what is to be sent; the claim keeps them from everybody else. */
  Future<List<DueEnd<D>>> claim(
      List<String> webhookIds, String token, Instant now, Duration claimFor, int limit);

  /** Forgets ends or makes them due again, of those that the token still holds. */
  Future<Void> finish(String token, List<ToldEnd<D>> told);
}
