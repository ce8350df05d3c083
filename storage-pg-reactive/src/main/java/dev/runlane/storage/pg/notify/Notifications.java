package dev.runlane.storage.pg.notify;

import dev.runlane.postgres.BatchStatement;
import dev.runlane.postgres.statement.Columns;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.transport.DeliveryMessage;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Wakeups as NOTIFY: all that wait go out in one statement, packed into as few notifications as hold
 * them. PostgreSQL lets only one notifying transaction commit at a time, so fewer of them matter.
 */
public final class Notifications implements BatchStatement<Notifications.Wakeup, Boolean> {
  private static final SqlStatement<List<Notification>> NOTIFY_MANY = SqlStatement.of(
      "notify_many",
      new Parameters<List<Notification>>()
          .rows(
              all -> all,
              new Columns<Notification>()
                  .texts("channels", Notification::channel)
                  .texts("payloads", Notification::payload)));

  public static final List<SqlStatement<?>> STATEMENTS = List.of(NOTIFY_MANY);

  private final PgSession session;

  public Notifications(PgSession session) {
    this.session = session;
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
    return send(session, byChannel).map(sent -> wakeups.stream()
        .map(wakeup -> (CommandOutcome<Boolean>) new CommandOutcome.Succeeded<>(true))
        .toList());
  }

  /** Sends the messages of each channel in one statement. */
  static Future<?> send(PgSession session, Map<String, List<DeliveryMessage>> byChannel) {
    List<Notification> notifications = new ArrayList<>();
    byChannel.forEach((channel, messages) -> NotifyPayload.of(messages)
        .forEach(payload -> notifications.add(new Notification(channel, payload))));
    return session.execute(NOTIFY_MANY, notifications);
  }

  /**
   * A wakeup on its way.
   *
   * @param channel the environment's
   * @param message the wakeup
   */
  public record Wakeup(String channel, DeliveryMessage message) {}

  private record Notification(String channel, String payload) {}
}
