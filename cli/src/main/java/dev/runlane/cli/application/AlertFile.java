package dev.runlane.cli.application;

import dev.runlane.cli.option.JsonInput;
import dev.runlane.cli.option.UsageException;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.alert.AlertChannel;
import dev.runlane.runtime.alert.AlertOptions;
import dev.runlane.runtime.alert.WebhookChannel;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether this process looks at the rules of alerts, and which channels it can tell. */
final class AlertFile {
  private static final JsonObject NONE = new JsonObject();
  private static final Set<String> KEYS = Set.of("channels", "options");
  private static final Set<String> CHANNEL_KEYS = Set.of("type", "name", "address", "secret");

  @Option(
      names = "--alerts",
      paramLabel = "FILE",
      description =
          "Looks at the rules of alerts too, and tells the channels that this JSON file names.")
  private @Nullable Path file;

  /**
   * What the file says.
   *
   * @param channels who can be told
   * @param options how rules are looked at
   */
  record Settings(List<AlertChannel> channels, AlertOptions options) {}

  /** Empty where no file is given. Throws {@link UsageException} for one that cannot be used, without its secrets. */
  Optional<Settings> settings() {
    if (file == null) {
      return Optional.empty();
    }
    try {
      JsonObject json = new JsonObject(JsonInput.file("--alerts", file));
      requireKnown(json, KEYS);
      if (!(json.getValue("channels") instanceof JsonArray named)
          || !(json.getValue("options", NONE) instanceof JsonObject options)) {
        throw malformed();
      }
      List<AlertChannel> channels = new ArrayList<>();
      for (Object each : named) {
        channels.add(channel(each));
      }
      return Optional.of(new Settings(List.copyOf(channels), new AlertOptions(options)));
    } catch (DecodeException notJson) {
      throw malformed();
    } catch (RunlaneException refused) {
      throw new UsageException("--alerts: " + refused.getMessage());
    }
  }

  private UsageException malformed() {
    return new UsageException("--alerts: " + file + " is no JSON object with a list \"channels\" of"
        + " objects with type, name, address and secret, and perhaps \"options\"");
  }

  private AlertChannel channel(Object each) {
    if (!(each instanceof JsonObject json)) {
      throw malformed();
    }
    requireKnown(json, CHANNEL_KEYS);
    if (!"webhook".equals(json.getValue("type"))) {
      throw new UsageException("--alerts: a channel's type is webhook");
    }
    if (!(json.getValue("name") instanceof String name)
        || !(json.getValue("address") instanceof String address)
        || !(json.getValue("secret") instanceof String secret)) {
      throw malformed();
    }
    return WebhookChannel.to(name, address(name, address), secret);
  }

  private static URI address(String channel, String address) {
    try {
      return new URI(address);
    } catch (URISyntaxException malformed) {
      throw new UsageException("--alerts: the address of channel " + channel + " is none");
    }
  }

  private static void requireKnown(JsonObject json, Set<String> known) {
    for (String key : json.fieldNames()) {
      if (!known.contains(key)) {
        throw new UsageException("--alerts: there is no \"" + key + "\"");
      }
    }
  }
}
