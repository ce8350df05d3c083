package dev.runlane.connector.controller.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connectors of one folder, as they were when it was read: each of its folders with a {@code manifest.json} is
 * one. Immutable.
 */
public final class ConnectorRegistry {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectorRegistry.class);
  private static final String MANIFEST = "manifest.json";
  private static final String LAUNCH = "launch.json";
  private static final Path SELF = Path.of("/proc/self");
  private static final Set<PosixFilePermission> OTHERS =
      Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
  private static final long MOST_LAUNCH_BYTES = 256 << 10;
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final Map<String, ConnectorFolder> byId;

  private ConnectorRegistry(Map<String, ConnectorFolder> byId) {
    this.byId = byId;
  }

  /** A registry without connectors. */
  public static ConnectorRegistry empty() {
    return new ConnectorRegistry(Map.of());
  }

  /**
   * Reads a folder; blocks. A connector that cannot be used is left out and logged, so that it takes none
   * of the others with it; so is the second of two with the same id. Where a connector of the folder has a {@code
   * user}, all are left out that others than root and this process's user may change. Throws {@code
   * ConfigurationInvalid} when the folder itself cannot be read.
   */
  public static ConnectorRegistry read(Path registry) {
    List<ConnectorFolder> read = new ArrayList<>();
    for (Path folder : folders(registry)) {
      try {
        read.add(connector(folder));
      } catch (RunlaneException unusable) {
        LOG.warn("{} is left out: {}", folder, unusable.getMessage());
      }
    }
    boolean isApart = read.stream()
        .anyMatch(each -> each.launch().flatMap(ConnectorLaunch::user).isPresent());
    Map<String, ConnectorFolder> byId = new TreeMap<>();
    for (ConnectorFolder connector : read) {
      Optional<Path> changeable = isApart ? changeable(connector.folder()) : Optional.empty();
      if (changeable.isPresent()) {
        LOG.warn(
            "{} is left out: others than root and this process's user may change {}, and so whom it runs as",
            connector.folder(),
            changeable.get());
      } else if (byId.putIfAbsent(connector.manifest().connectorId(), connector) != null) {
        LOG.warn("{} is left out: another folder has its connector id", connector.folder());
      }
    }
    return new ConnectorRegistry(byId);
  }

  /** What of a connector's files, their folders included, somebody else may change; links are followed. */
  private static Optional<Path> changeable(Path folder) {
    try {
      Integer self = (Integer) Files.getAttribute(SELF, "unix:uid");
      for (Path named : List.of(folder, folder.resolve(MANIFEST), folder.resolve(LAUNCH))) {
        if (!Files.exists(named)) {
          continue; // it is only described
        }
        Path real = named.toRealPath();
        for (Path at : List.of(real, real.resolveSibling("."))) {
          Integer owner = (Integer) Files.getAttribute(at, "unix:uid");
          boolean isOwn = owner == 0 || owner.equals(self);
          if (!isOwn || Files.getPosixFilePermissions(at).stream().anyMatch(OTHERS::contains)) {
            return Optional.of(at.normalize());
          }
        }
      }
      return Optional.empty();
    } catch (IOException unreadable) {
      return Optional.of(folder);
    }
  }

  /** The connector with this id. */
  public Optional<ConnectorFolder> find(String connectorId) {
    return Optional.ofNullable(byId.get(connectorId));
  }

  /** All of them, by id. */
  public Collection<ConnectorFolder> all() {
    return byId.values();
  }

  /**
   * Reads one connector's folder; blocks. Throws {@link ErrorCode#CONNECTOR_INVALID} for one that cannot be used.
   */
  public static ConnectorFolder connector(Path folder) {
    ConnectorManifest manifest =
        ConnectorManifest.parse(text(folder.resolve(MANIFEST), ConnectorManifest.MAX_BYTES));
    Path launch = folder.resolve(LAUNCH);
    return new ConnectorFolder(
        folder.toAbsolutePath().normalize(),
        manifest,
        Files.exists(launch) ? Optional.of(launch(launch)) : Optional.empty());
  }

  private static List<Path> folders(Path registry) {
    List<Path> folders = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(registry)) {
      for (Path entry : entries) {
        if (Files.exists(entry.resolve(MANIFEST))) {
          folders.add(entry);
        }
      }
    } catch (IOException e) {
      throw RunlaneException.configurationInvalid("the connectors in %s cannot be read", registry)
          .causedBy(e);
    }
    folders.sort(null); // of two with the same id, the same one wins every time
    return folders;
  }

  private static ConnectorLaunch launch(Path file) {
    try {
      return ConnectorLaunch.read(JSON.readTree(text(file, MOST_LAUNCH_BYTES)));
    } catch (JsonProcessingException malformed) {
      throw RunlaneException.of(ErrorCode.CONNECTOR_INVALID, "launch.json is not valid JSON");
    }
  }

  private static String text(Path file, long mostBytes) {
    try {
      if (Files.size(file) > mostBytes) {
        throw RunlaneException.of(
            ErrorCode.CONNECTOR_INVALID,
            "%s must have at most %d bytes",
            file.getFileName(),
            mostBytes);
      }
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw RunlaneException.of(
              ErrorCode.CONNECTOR_INVALID, "%s cannot be read as UTF-8", file.getFileName())
          .causedBy(e);
    }
  }
}
