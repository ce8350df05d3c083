package dev.runlane.lane;

import static dev.runlane.options.OptionTypes.filled;
import static dev.runlane.options.OptionTypes.flag;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import dev.runlane.run.ContractDefaults;
import io.vertx.core.json.JsonObject;

/** How a lane presents itself. */
public final class LaneOptions extends OptionValues<LaneOptions> {
  /** The name of a lane = {@value}. */
  public static final String DEFAULT_NAME = ContractDefaults.LANE_NAME;

  /** Whether operators may read through a lane = {@value}. */
  public static final boolean DEFAULT_OPERATOR_READS = true;

  /** Whether a lane is safe as a production boundary = {@value}. */
  public static final boolean DEFAULT_PRODUCTION_DURABLE = false;

  private static final OptionSet OPTIONS = OptionSet.of("a lane");
  private static final Option<String> NAME = OPTIONS.add("name", DEFAULT_NAME, filled());
  private static final Option<Boolean> OPERATOR_READS =
      OPTIONS.add("operatorReads", DEFAULT_OPERATOR_READS, flag());
  private static final Option<Boolean> PRODUCTION_DURABLE =
      OPTIONS.add("productionDurable", DEFAULT_PRODUCTION_DURABLE, flag());

  /** The defaults. */
  public LaneOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public LaneOptions(LaneOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public LaneOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Options from JSON. Fails with {@code ConfigurationInvalid} on an unknown key or a value of the wrong type. */
  public static LaneOptions fromJson(JsonObject json) {
    return new LaneOptions(json);
  }

  /** The name in diagnostics, never empty. */
  public String getName() {
    return get(NAME);
  }

  /** Sets the name. Fails with {@code ConfigurationInvalid} when it is empty. */
  public LaneOptions setName(String name) {
    return set(NAME, name);
  }

  /** Whether operators may read runs and histories through the lane. */
  public boolean isOperatorReads() {
    return get(OPERATOR_READS);
  }

  /** Sets whether operators may read through the lane; say honestly what the packaged lane offers. */
  public LaneOptions setOperatorReads(boolean operatorReads) {
    return set(OPERATOR_READS, operatorReads);
  }

  /** Whether the lane is safe as a production boundary. */
  public boolean isProductionDurable() {
    return get(PRODUCTION_DURABLE);
  }

  /** Sets whether the lane is safe in production: true only if both adapters keep what they accept. */
  public LaneOptions setProductionDurable(boolean productionDurable) {
    return set(PRODUCTION_DURABLE, productionDurable);
  }
}
