package dev.runlane.lane;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.util.Set;

/** How a lane presents itself. */
public final class LaneOptions {
  /** The name of a lane = {@value}. */
  public static final String DEFAULT_NAME = ContractDefaults.LANE_NAME;

  /** Whether operators may read through a lane = {@value}. */
  public static final boolean DEFAULT_OPERATOR_READS = true;

  /** Whether a lane is safe as a production boundary = {@value}. */
  public static final boolean DEFAULT_PRODUCTION_DURABLE = false;

  private static final Set<String> KEYS = Set.of("name", "operatorReads", "productionDurable");

  private String name = DEFAULT_NAME;
  private boolean operatorReads = DEFAULT_OPERATOR_READS;
  private boolean productionDurable = DEFAULT_PRODUCTION_DURABLE;

  /** The defaults. */
  public LaneOptions() {}

  /** A copy. */
  public LaneOptions(LaneOptions other) {
    name = other.name;
    operatorReads = other.operatorReads;
    productionDurable = other.productionDurable;
  }

  /** Options from JSON. Fails with {@code ConfigurationInvalid} on an unknown key or a value of the wrong type. */
  public static LaneOptions fromJson(JsonObject json) {
    LaneOptions options = new LaneOptions();
    for (String key : json.fieldNames()) {
      if (!KEYS.contains(key)) {
        throw RunlaneException.configurationInvalid(
            "a lane has no option %s; it has %s", key, KEYS);
      }
    }
    try {
      options.setName((String) json.getValue("name", DEFAULT_NAME));
      options.setOperatorReads(json.getBoolean("operatorReads", DEFAULT_OPERATOR_READS));
      options.setProductionDurable(
          json.getBoolean("productionDurable", DEFAULT_PRODUCTION_DURABLE));
    } catch (ClassCastException | NullPointerException wrongType) {
      throw RunlaneException.configurationInvalid(
              "a lane's name is text, operatorReads and productionDurable are true or false")
          .causedBy(wrongType);
    }
    return options;
  }

  /** The name in diagnostics, never empty. */
  public String getName() {
    return name;
  }

  /** Sets the name. Fails with {@code ConfigurationInvalid} when it is empty. */
  public LaneOptions setName(String name) {
    if (name.isBlank()) {
      throw RunlaneException.configurationInvalid("a lane's name must not be empty");
    }
    this.name = name;
    return this;
  }

  /** Whether operators may read runs and histories through the lane. */
  public boolean isOperatorReads() {
    return operatorReads;
  }

  /** Sets whether operators may read through the lane; say honestly what the packaged lane offers. */
  public LaneOptions setOperatorReads(boolean operatorReads) {
    this.operatorReads = operatorReads;
    return this;
  }

  /** Whether the lane is safe as a production boundary. */
  public boolean isProductionDurable() {
    return productionDurable;
  }

  /** Sets whether the lane is safe in production: true only if both adapters keep what they accept. */
  public LaneOptions setProductionDurable(boolean productionDurable) {
    this.productionDurable = productionDurable;
    return this;
  }
}
