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

  private final Set<String> hosts = new HashSet<>();
  private final Set<String> domains = new HashSet<>(); // each with the dot before it

  PeerAddresses(List<String> peers, @Nullable String own) {
    for (String peer : peers) {
      String host = lower(peer);
      if (host.startsWith(BELOW)) {
        domains.add(host.substring(1));
      } else {
        hosts.add(host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host);
      }
    }
    if (own != null) {
      uri(own).map(URI::getHost).map(PeerAddresses::lower).ifPresent(hosts::add);
    }
  }

  /** Whether the address is one of ours, and nobody on the way to it reads along. */
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
    if (LOOPBACK.matcher(host).matches()) {
      return "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
    }
    return "https".equalsIgnoreCase(uri.getScheme())
        && (hosts.contains(host) || domains.stream().anyMatch(host::endsWith));
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
