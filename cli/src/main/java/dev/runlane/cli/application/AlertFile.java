package dev.runlane.cli.application;

import dev.runlane.cli.option.JsonInput;
import dev.runlane.cli.option.UsageException;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.alert.AlertChannel;
import dev.runlane.runtime.alert.AlertOptions;
import dev.runlane.runtime.alert.MailChannel;
import dev.runlane.runtime.alert.WebhookChannel;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.mail.LoginOption;
import io.vertx.ext.mail.MailConfig;
import io.vertx.ext.mail.StartTLSOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether this process looks at the rules of alerts, and which channels it can tell. */
final class AlertFile {
  private static final JsonObject NONE = new JsonObject();
  private static final int MOST_PORT = 65_535;
  private static final Set<String> KEYS = Set.of("channels", "options");
  private static final Set<String> WEBHOOK_KEYS = Set.of("type", "name", "address", "secret");
  private static final Set<String> MAIL_KEYS =
      Set.of("type", "name", "server", "port", "tls", "user", "password", "from", "recipients");

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
      if (json.getMap() == null) { // of a file that says null
        throw malformed();
      }
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
        + " objects (type webhook: name, address and secret; type mail: name, server, from and recipients, and perhaps port,"
        + " tls, user and password), and perhaps \"options\"");
  }

  private AlertChannel channel(Object each) {
    if (!(each instanceof JsonObject json)) {
      throw malformed();
    }
    if ("webhook".equals(json.getValue("type"))) {
      return webhook(json);
    }
    if ("mail".equals(json.getValue("type"))) {
      return mail(json);
    }
    throw new UsageException("--alerts: a channel's type is webhook or mail");
  }

  private AlertChannel webhook(JsonObject json) {
    requireKnown(json, WEBHOOK_KEYS);
    String name = text(json, "name");
    return WebhookChannel.to(name, address(name, text(json, "address")), text(json, "secret"));
  }

  private AlertChannel mail(JsonObject json) {
    requireKnown(json, MAIL_KEYS);
    MailSecurity security = security(json.getValue("tls", "starttls"));
    MailConfig server = new MailConfig()
        .setHostname(text(json, "server"))
        .setPort(port(json.getValue("port", security.port)))
        .setStarttls(security.startTls)
        .setSsl(security.isTls);
    if (json.containsKey("user") || json.containsKey("password")) {
      server
          .setLogin(LoginOption.REQUIRED)
          .setUsername(text(json, "user"))
          .setPassword(text(json, "password"));
    }
    if (!(json.getValue("recipients") instanceof JsonArray recipients)
        || !recipients.stream().allMatch(String.class::isInstance)) {
      throw malformed();
    }
    return MailChannel.to(
        text(json, "name"),
        server,
        text(json, "from"),
        recipients.stream().map(String::valueOf).toList());
  }

  private static MailSecurity security(Object value) {
    return Arrays.stream(MailSecurity.values())
        .filter(each -> each.value.equals(value))
        .findFirst()
        .orElseThrow(() -> new UsageException("--alerts: tls is starttls, tls or none"));
  }

  private static int port(Object value) {
    if (value instanceof Integer port && port >= 1 && port <= MOST_PORT) {
      return port;
    }
    throw new UsageException("--alerts: a port is a number from 1 to " + MOST_PORT);
  }

  private String text(JsonObject json, String key) {
    if (json.getValue(key) instanceof String text) {
      return text;
    }
    throw malformed();
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

  /** How a connection to a mail server is encrypted, and on which port such servers listen. */
  private enum MailSecurity {
    STARTTLS("starttls", 587, StartTLSOptions.REQUIRED, false),
    TLS("tls", 465, StartTLSOptions.DISABLED, true),
    NONE("none", 25, StartTLSOptions.DISABLED, false);

    private final String value;
    private final int port;
    private final StartTLSOptions startTls;
    private final boolean isTls;

    MailSecurity(String value, int port, StartTLSOptions startTls, boolean isTls) {
      this.value = value;
      this.port = port;
      this.startTls = startTls;
      this.isTls = isTls;
    }
  }
}
