package dev.runlane.client.http;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The path of a request, built of parts that are escaped one by one. Never changed: each method answers another. */
public final class ApiAddress {
  private final String path;
  private final List<String> query;

  private ApiAddress(String path, List<String> query) {
    this.path = path;
    this.query = query;
  }

  /** The segments below {@code /api/v1}; an id may hold any character. */
  public static ApiAddress of(String... segments) {
    StringBuilder path = new StringBuilder("/api/v1");
    for (String segment : segments) {
      path.append('/').append(escaped(segment));
    }
    return new ApiAddress(path.toString(), List.of());
  }

  /** With a parameter; null: without it. */
  public ApiAddress with(String name, @Nullable Object value) {
    return value == null ? this : withAll(name, List.of(value));
  }

  /** With a parameter for each value. */
  public ApiAddress withAll(String name, Collection<?> values) {
    List<String> more = new ArrayList<>(query);
    values.forEach(value -> more.add(name + "=" + escaped(String.valueOf(value))));
    return new ApiAddress(path, List.copyOf(more));
  }

  /** With limit and cursor, where they are given. */
  public ApiAddress page(@Nullable Integer limit, @Nullable String cursor) {
    return with("limit", limit).with("cursor", cursor);
  }

  /** The request's target below where the server is. */
  String below(URI server) {
    String prefix = server.getRawPath() == null ? "" : server.getRawPath();
    String start = prefix.endsWith("/") ? prefix.substring(0, prefix.length() - 1) : prefix;
    return start + this;
  }

  /** Space as {@code %20} and dots escaped where they are all: a path has no plus, and would lose {@code ..}. */
  private static String escaped(String text) {
    String escaped = URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    return text.equals(".") || text.equals("..") ? text.replace(".", "%2E") : escaped;
  }

  @Override
  public String toString() {
    return query.isEmpty() ? path : path + "?" + String.join("&", query);
  }
}
