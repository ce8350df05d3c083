package dev.runlane.storage.pg;

import dev.runlane.postgres.GatheredStatement;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Wakeups as NOTIFY: all that wait go out in one statement, packed into as few notifications as hold
 * them. PostgreSQL lets only one notifying transaction commit at a time, so fewer of them matter.
 */
final class Notifications implements GatheredStatement<Notifications.Wakeup, Boolean> {
  private final PgSession session;
  private final String notifyMany;

  Notifications(PgSession session) {
    this.session = session;
    this.notifyMany = session.statements().get("notify_many");
  }

  @Override
  public List<String> keys(Wakeup wakeup) {
    return List.of();
  }

  @Override
  public Future<List<CommandOutcome<Boolean>>> execute(List<Wakeup> wakeups) {
    Map<String, List<DeliveryMessage>> byChannel = new LinkedHashMap<>();
    wakeups.forEach(wakeup -> byChannel
        .computeIfAbsent(wakeup.channel(), channel -> new ArrayList<>())
        .add(wakeup.message()));
    List<String> channels = new ArrayList<>();
    List<String> payloads = new ArrayList<>();
    byChannel.forEach((channel, messages) -> NotifyPayload.of(messages).forEach(payload -> {
      channels.add(channel);
      payloads.add(payload);
    }));
    Tuple parameters = Tuple.tuple();
    new Columns<>(channels, parameters).texts(channel -> channel);
    new Columns<>(payloads, parameters).texts(payload -> payload);
    return session.execute(notifyMany, parameters).map(sent -> wakeups.stream()
        .map(wakeup -> (CommandOutcome<Boolean>) new CommandOutcome.Succeeded<>(true))
        .toList());
  }

  /**
   * @param channel the environment's
   * @param message the wakeup
   */
  record Wakeup(String channel, DeliveryMessage message) {}
}
