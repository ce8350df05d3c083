package dev.runlane.example;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.function.Consumer;

/** Makes an order or a cancellation of one line, or says exactly what keeps it from being one. */
sealed interface OrderLine {
  /** Hands over what the line is. */
  void accept(Consumer<Order> orders, Consumer<Cancellation> cancellations);

  /** Throws {@link BadLine} for everything that is neither. */
  static OrderLine read(String line) throws BadLine {
    return new Fields(parse(line)).toLine();
  }

  private static JsonNode parse(String line) throws BadLine {
    if (line.length() > Fields.LONGEST_LINE) {
      throw new BadLine("longer than " + Fields.LONGEST_LINE + " characters");
    }
    if (line.indexOf('\uFFFD') >= 0) {
      throw new BadLine("not UTF-8");
    }
    try {
      return Fields.READER.readTree(line);
    } catch (JsonProcessingException invalid) {
      throw new BadLine("not JSON: " + invalid.getOriginalMessage());
    }
  }

  /** An order. */
  record Placed(Order order) implements OrderLine {
    @Override
    public void accept(Consumer<Order> orders, Consumer<Cancellation> cancellations) {
      orders.accept(order);
    }
  }

  /** A cancellation. */
  record Withdrawn(Cancellation cancellation) implements OrderLine {
    @Override
    public void accept(Consumer<Order> orders, Consumer<Cancellation> cancellations) {
      cancellations.accept(cancellation);
    }
  }

  /** Why a line is skipped. */
  final class BadLine extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    BadLine(String reason) {
      super(reason, null, false, false); // thousands may come, and nobody reads their stack
      this.reason = reason;
    }

    String reason() {
      return reason;
    }
  }

  /** The checked fields of a line. */
  record Fields(JsonNode json) {
    private static final int LONGEST_LINE = 65_536;
    private static final int LONGEST_ID = 100;
    private static final int LONGEST_WAIT_SECONDS = 86_400;
    private static final ObjectReader READER = JsonMapper.builder()
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build()
        .reader();

    OrderLine toLine() throws BadLine {
      if (!json.isObject()) {
        throw new BadLine("not a JSON object");
      }
      if (json.has("cancel")) {
        return new Withdrawn(new Cancellation(name("cancel"), name("reason")));
      }
      return new Placed(
          new Order(name("order"), name("merchant"), name("card"), amount(), chargeAfterSeconds()));
    }

    /** Ids and keys of runs are made of these, so they keep to what those may hold. */
    private String name(String field) throws BadLine {
      JsonNode value = json.path(field);
      if (value.isMissingNode()) {
        throw new BadLine("field " + field + " is missing");
      }
      if (!value.isTextual() || value.textValue().isBlank()) {
        throw new BadLine("field " + field + " must be text");
      }
      String text = value.textValue();
      if (text.length() > LONGEST_ID || text.indexOf(':') >= 0 || text.indexOf('\0') >= 0) {
        throw new BadLine("field " + field + " must have at most " + LONGEST_ID
            + " characters and neither ':' nor NUL");
      }
      return text;
    }

    private long amount() throws BadLine {
      JsonNode value = json.path("amountCents");
      if (!value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < 1) {
        throw new BadLine("field amountCents must be a whole number above 0");
      }
      return value.longValue();
    }

    private int chargeAfterSeconds() throws BadLine {
      JsonNode value = json.path("chargeAfterSeconds");
      if (value.isMissingNode()) {
        return 0;
      }
      if (!value.isIntegralNumber()
          || !value.canConvertToInt()
          || value.intValue() < 0
          || value.intValue() > LONGEST_WAIT_SECONDS) {
        throw new BadLine(
            "field chargeAfterSeconds must be a whole number from 0 to " + LONGEST_WAIT_SECONDS);
      }
      return value.intValue();
    }
  }
}
