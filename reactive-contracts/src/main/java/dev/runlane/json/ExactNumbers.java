package dev.runlane.json;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import java.math.BigDecimal;

/**
 * A parser that offers a fraction as a {@code BigDecimal} where no {@code double} has its value, and as a
 * {@code double} everywhere else. What is read without a type, such as a tree or the values of a map, loses no
 * digit this way, and what a double can hold, negative zero among it, stays one.
 */
final class ExactNumbers extends JsonParserDelegate {
  ExactNumbers(JsonParser parser) {
    super(parser);
  }

  /** The number that the parser stands at. */
  static Number fraction(JsonParser in) throws IOException {
    String text = in.getText();
    try {
      double nearest = Double.parseDouble(text);
      String shortest = Double.toString(nearest);
      if (shortest.equals(text)) {
        return nearest;
      }
      BigDecimal exact = new BigDecimal(text);
      return Double.isFinite(nearest) && exact.compareTo(new BigDecimal(shortest)) == 0
          ? (Number) nearest
          : exact;
    } catch (NumberFormatException beyond) { // an exponent of more than 32 bits
      throw new JsonParseException(in, "a number has an exponent that Java cannot hold");
    }
  }

  @Override
  public NumberType getNumberType() throws IOException {
    return isFraction() ? typeOfFraction() : super.getNumberType();
  }

  @Override
  public NumberTypeFP getNumberTypeFP() throws IOException {
    if (!isFraction()) {
      return super.getNumberTypeFP();
    }
    return typeOfFraction() == NumberType.BIG_DECIMAL
        ? NumberTypeFP.BIG_DECIMAL
        : NumberTypeFP.DOUBLE64;
  }

  @Override
  public Number getNumberValue() throws IOException {
    return isFraction() ? fraction(this) : super.getNumberValue();
  }

  private boolean isFraction() {
    return hasToken(JsonToken.VALUE_NUMBER_FLOAT);
  }

  private NumberType typeOfFraction() throws IOException {
    return fraction(this) instanceof BigDecimal ? NumberType.BIG_DECIMAL : NumberType.DOUBLE;
  }
}
