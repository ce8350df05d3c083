package dev.runlane.testinfra.postgres;

import dev.runlane.testinfra.Durability;
import dev.runlane.testinfra.server.ServerCertificate;
import dev.runlane.testinfra.server.ServerLife;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an embedded Postgres is to run.
 *
 * @param keptFolder where data is kept, or null for a temporary server
 * @param port 0 for any free one
 * @param settings of postgresql.conf; win over our own
 */
record PostgresPlan(
    @Nullable Path keptFolder,
    int port,
    Durability durability,
    Duration startTimeout,
    Map<String, String> settings) {

  PostgresPlan {
    settings = Map.copyOf(settings);
  }

  boolean isTemporary() {
    return keptFolder == null;
  }

  /** The same for a temporary server on a free port. */
  PostgresPlan temporary() {
    return new PostgresPlan(null, 0, durability, startTimeout, settings);
  }

  boolean isTls() {
    return "on".equals(settings.get("ssl"));
  }

  /** The same with this certificate. */
  PostgresPlan with(ServerCertificate certificate) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putIfAbsent("ssl_cert_file", certificate.certificate().toString());
    all.putIfAbsent("ssl_key_file", certificate.key().toString());
    return new PostgresPlan(keptFolder, port, durability, startTimeout, all);
  }

  /** The server's command line; nothing of the plan is stored in the data folder. */
  List<String> arguments(DataFolder folder, int actualPort) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("listen_addresses", ServerLife.LOOPBACK);
    all.put("port", String.valueOf(actualPort));
    all.put("unix_socket_directories", "");
    all.put("fsync", durability.fsync());
    all.put("timezone", "UTC");
    all.put("log_timezone", "UTC");
    all.putAll(settings);
    List<String> arguments = new ArrayList<>(List.of("-D", folder.data().toString()));
    all.forEach((name, value) -> arguments.addAll(List.of("-c", name + "=" + value)));
    return arguments;
  }
}
