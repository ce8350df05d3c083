package dev.runlane.console.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Caller;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.console.answer.JsonTexts;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.ext.web.RoutingContext;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request that satisfies the document.
 *
 * @param caller who asks
 * @param path values of the path, decoded
 * @param query values of the query in their order, decoded
 * @param headers the headers that the document names and that were given
 * @param body the body; an empty object where none was sent
 * @param http the request as it came, for what streams
 */
public record ApiCall(
    Caller caller,
    Map<String, String> path,
    Map<String, List<String>> query,
    Map<String, String> headers,
    ObjectNode body,
    RoutingContext http) {
  private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant TOO_LATE = Instant.parse("+10000-01-01T00:00:00Z");

  /** A value of the path. */
  public String pathValue(String name) {
    String value = path.get(name);
    if (value == null) {
      throw new IllegalStateException("the document knows no path parameter " + name);
    }
    return value;
  }

  /** All values of a parameter; none where it was not given. */
  public List<String> all(String name) {
    return query.getOrDefault(name, List.of());
  }

  /** The value of a parameter that is given once. */
  public Optional<String> one(String name) {
    return all(name).stream().findFirst();
  }

  /** A whole number of the query. */
  public Optional<Integer> number(String name) {
    return one(name).map(Integer::valueOf);
  }

  /** An instant of the query; refuses what is no date. */
  public Optional<Instant> instant(String name) {
    return one(name).map(text -> parseInstant(name, text));
  }

  /** An instant in a header; refuses what is no date. */
  public Optional<Instant> headerInstant(String name) {
    return Optional.ofNullable(headers.get(name)).map(text -> parseInstant(name, text));
  }

  /** A text of the body. */
  public Optional<String> text(String name) {
    return Optional.ofNullable(body.path(name).textValue());
  }

  /** Why the caller does this; the empty text where the operation asks for no reason and none was given. */
  public String reason() {
    return text("reason").orElse("");
  }

  /** An instant of the body; refuses what is no date. */
  public Optional<Instant> bodyInstant(String name) {
    return text(name).map(text -> parseInstant(name, text));
  }

  /** A duration of the body; refuses what is none. */
  public Optional<Duration> bodyDuration(String name) {
    return text(name).map(text -> {
      try {
        return Durations.parse(text);
      } catch (RunlaneException malformed) {
        throw ApiRefusal.invalid(name, name + " must be a duration such as 30s or 1.5h");
      }
    });
  }

  /** Texts by name of the body. */
  public Optional<Map<String, String>> texts(String name) {
    JsonNode object = body.path(name);
    if (object.isMissingNode()) {
      return Optional.empty();
    }
    Map<String, String> texts = new LinkedHashMap<>();
    object
        .properties()
        .forEach(entry -> texts.put(entry.getKey(), entry.getValue().textValue()));
    return Optional.of(texts);
  }

  /** A list of texts of the body. */
  public Optional<List<String>> list(String name) {
    if (!body.has(name)) {
      return Optional.empty();
    }
    List<String> texts = new ArrayList<>();
    body.path(name).forEach(text -> texts.add(text.textValue()));
    return Optional.of(texts);
  }

  /** A field of the body as JSON text. */
  public Optional<String> json(String name) {
    return body.has(name) ? Optional.of(JsonTexts.write(body.path(name))) : Optional.empty();
  }

  /** The instant that a text says; refuses what is no date, and years that no database and no sum bears. */
  public static Instant parseInstant(String name, String text) {
    try {
      Instant instant = Instant.parse(text);
      if (!instant.isBefore(EARLIEST) && instant.isBefore(TOO_LATE)) {
        return instant;
      }
    } catch (DateTimeException malformed) {
      // told below
    }
    throw ApiRefusal.invalid(
        name, name + " must be an instant such as 2026-05-01T12:00:00Z, of the years 1 to 9999");
  }
}
