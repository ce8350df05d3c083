package dev.runlane.testinfra.mariadb;

import dev.runlane.testinfra.Durability;
import dev.runlane.testinfra.server.ServerLife;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an embedded MariaDB is to run.
 *
 * @param keptFolder where data is kept, or null for a temporary server
 * @param port 0 for any free one
 * @param settings of the server; win over our own
 */
record MariadbPlan(
    @Nullable Path keptFolder,
    int port,
    Durability durability,
    Duration startTimeout,
    Map<String, String> settings) {

  MariadbPlan {
    settings = Map.copyOf(settings);
  }

  boolean isTemporary() {
    return keptFolder == null;
  }

  /** The server's command line; the machine's own option files are not read. */
  List<String> arguments(MariadbFolder folder, int actualPort) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("bind_address", ServerLife.LOOPBACK);
    all.put("port", String.valueOf(actualPort));
    // Relative to the data folder: a long path to it would be too long for a socket's.
    all.put("socket", "mariadbd.sock");
    all.put("skip_name_resolve", "1");
    all.put("character_set_server", "utf8mb4");
    all.put("innodb_flush_log_at_trx_commit", durability == Durability.POWER_LOSS ? "1" : "2");
    all.put("default_time_zone", "+00:00");
    all.putAll(settings);
    List<String> arguments = new ArrayList<>(folder.arguments(folder.data()));
    arguments.add("--pid-file=" + folder.pidFile());
    arguments.add("--secure-file-priv=" + folder.data());
    arguments.add("--init-file=" + folder.init());
    all.forEach((name, value) -> arguments.add("--" + name + "=" + value));
    return arguments;
  }
}
