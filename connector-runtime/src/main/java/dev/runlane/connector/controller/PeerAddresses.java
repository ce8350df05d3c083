package dev.runlane.connector.controller;

import dev.runlane.run.RunlaneException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which addresses an owner's answer, and the token it came with, may be handed on to: they come out of rows that more
 * programs than controllers may be able to write. Names are not looked up.
 */
final class PeerAddresses {
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]|\\[(0{1,4}:){7}0{0,3}1]");
  private static final Pattern HOST = Pattern.compile(
      "(\\*\\.)?[a-z0-9_-]+(\\.[a-z0-9_-]+)*\\.?|\\[[0-9a-f:.]+]|[0-9a-f]*(:[0-9a-f.]*){2,7}");
  private static final String BELOW = "*.";
  private static final String PLAIN = "http://";

  private final Hosts hosts = new Hosts(new HashSet<>(), new HashSet<>());
  private final Hosts plain =
      new Hosts(new HashSet<>(), new HashSet<>()); // also without encryption

  /** Throws {@code ConfigurationInvalid} for a peer that is no host: it would never match. */
  PeerAddresses(List<String> peers, @Nullable String own) {
    for (String peer : peers) {
      boolean isPlain = lower(peer).startsWith(PLAIN);
      String host = isPlain ? lower(peer).substring(PLAIN.length()) : lower(peer);
      if (!HOST.matcher(host).matches()) {
        throw RunlaneException.configurationInvalid(
            "peers: %s is not a host without port and path, such as runs-2.example.com,"
                + " *.runs.example.com or http://10.0.0.7",
            peer);
      }
      (isPlain ? plain : hosts).add(host);
    }
    if (own != null) {
      uri(own).map(URI::getHost).map(PeerAddresses::lower).ifPresent(hosts::add);
    }
  }

  /** Whether the address is one of ours, and nobody on the way to it reads along unless that was allowed. */
  boolean isKnown(String address) {
    return uri(address).filter(this::isKnown).isPresent();
  }

  private boolean isKnown(URI uri) {
    if (uri.getHost() == null
        || uri.getRawUserInfo() != null
        || uri.getRawQuery() != null
        || uri.getRawFragment() != null) {
      return false;
    }
    String host = lower(uri.getHost());
    boolean mayBePlain = LOOPBACK.matcher(host).matches() || plain.have(host);
    return ("https".equalsIgnoreCase(uri.getScheme()) && (mayBePlain || hosts.have(host)))
        || ("http".equalsIgnoreCase(uri.getScheme()) && mayBePlain);
  }

  /** @param domains each with the dot before it */
  private record Hosts(Set<String> names, Set<String> domains) {
    void add(String host) {
      if (host.startsWith(BELOW)) {
        domains.add(host.substring(1));
      } else {
        names.add(host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host);
      }
    }

    boolean have(String host) {
      return names.contains(host) || domains.stream().anyMatch(host::endsWith);
    }
  }

  private static Optional<URI> uri(String address) {
    try {
      return Optional.of(new URI(address));
    } catch (URISyntaxException malformed) {
      return Optional.empty();
    }
  }

  private static String lower(String host) {
    return host.toLowerCase(Locale.ROOT);
  }
}
