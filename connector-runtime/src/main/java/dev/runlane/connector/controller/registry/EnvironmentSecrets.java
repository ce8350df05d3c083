package dev.runlane.connector.controller.registry;

import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.run.RunlaneException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Secrets from variables whose names hold the connection's. */
public record EnvironmentSecrets(Map<String, String> environment) implements SecretSource {
  /** With what the names of all such variables begin. */
  public static final String PREFIX = "RUNLANE_SECRET__";

  public EnvironmentSecrets {
    environment = Map.copyOf(environment);
  }

  @Override
  public Map<String, String> secrets(ConnectorRef connector, List<String> names) {
    Map<String, String> secrets = new LinkedHashMap<>();
    for (String name : names) {
      if (name.startsWith("_") || name.contains("__")) {
        // SHELF's EU__TOKEN would be TOKEN of SHELF__EU
        throw RunlaneException.configurationInvalid(
            "the secret %s cannot be in a variable: its name begins with _ or contains __", name);
      }
      String variable = PREFIX + asName(connector.instanceId()) + "__" + name;
      String value = environment.get(variable);
      if (value == null) {
        throw RunlaneException.configurationInvalid("the variable %s is not set", variable);
      }
      secrets.put(name, value);
    }
    return secrets;
  }

  @Override
  public boolean isShared(ConnectorRef connector, ConnectorRef other) {
    return asName(connector.instanceId()).equals(asName(other.instanceId()));
  }

  private static String asName(String instanceId) {
    return instanceId.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
  }

  @Override
  public String toString() {
    return "EnvironmentSecrets";
  }
}
