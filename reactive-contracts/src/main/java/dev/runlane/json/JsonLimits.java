package dev.runlane.json;

import dev.runlane.run.ContractDefaults;

/**
 * How large a JSON value from outside may be.
 *
 * @param maxBytes most bytes of UTF-8
 * @param maxDepth most nested objects and arrays
 */
public record JsonLimits(int maxBytes, int maxDepth) {
  /** The most that options may set for a value: as much as one kind of command of a storage may hold while it waits. */
  public static final int MOST_BYTES = 64 << 20;

  /** For payloads and outputs: 1 MiB, 64 levels. */
  public static final JsonLimits PAYLOAD =
      new JsonLimits(ContractDefaults.MAX_PAYLOAD_BYTES, ContractDefaults.MAX_JSON_DEPTH);

  /** For meta: 16 KiB, 64 levels. */
  public static final JsonLimits META =
      new JsonLimits(ContractDefaults.MAX_META_BYTES, ContractDefaults.MAX_JSON_DEPTH);
}
