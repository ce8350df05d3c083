package dev.runlane.json.record;

import dev.runlane.json.JsonValues;
import dev.runlane.run.Json;
import java.util.Map;
import java.util.TreeMap;

/** Trace carriers as storages keep them: a JSON object of text values, names in order. */
public final class TraceCarrierJson {
  private TraceCarrierJson() {}

  /** The carrier as JSON. */
  public static Json write(Map<String, String> carrier) {
    return JsonValues.object(new TreeMap<>(carrier));
  }

  /** Reads what {@link #write} wrote. */
  public static Map<String, String> read(Json json) {
    return JsonObjectText.of("trace carrier", json.text()).texts();
  }
}
