package dev.runlane.connector.controller;

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
  private static final String BELOW = "*.";
  private static final String PLAIN = "http://";

  private final Hosts hosts = new Hosts(new HashSet<>(), new HashSet<>());
  private final Hosts plain =
      new Hosts(new HashSet<>(), new HashSet<>()); // also without encryption

  PeerAddresses(List<String> peers, @Nullable String own) {
    for (String peer : peers) {
      String host = lower(peer);
      if (host.startsWith(PLAIN)) {
        plain.add(host.substring(PLAIN.length()));
      } else {
        hosts.add(host);
      }
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
    return "https".equalsIgnoreCase(uri.getScheme()) && (mayBePlain || hosts.have(host))
        || "http".equalsIgnoreCase(uri.getScheme()) && mayBePlain;
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
