package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.run.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Every JSON value comes back through every carrier, and the text it leaves is the text it makes again. */
class JsonCodecPropertyTest {
  private static final JsonCodec CODEC = JsonCodec.standard();
  private static final JsonLimits LIMITS = new JsonLimits(1 << 22, 64);

  record Everything(
      JsonObject object,
      JsonArray array,
      Buffer buffer,
      Object anything,
      JsonNode tree,
      Json json,
      Map<String, Object> map,
      List<JsonObject> objects) {}

  @Property(tries = 200)
  void an_object_comes_back_from_every_place_it_can_stand_in(
      @ForAll("objects") JsonObject object, @ForAll byte[] bytes) {
    JsonArray array = new JsonArray().add(object).addNull().add(new JsonArray().add(object));
    Json json = CODEC.encode("json", object, LIMITS);
    Everything all = new Everything(
        object,
        array,
        Buffer.buffer(bytes),
        object,
        CODEC.tree("tree", json),
        json,
        Map.of("in", object),
        List.of(object));

    Everything back = roundTrip(all, Everything.class);

    assertSame(back.object(), object);
    assertSame(back.array(), array);
    assertThat(back.buffer()).isEqualTo(all.buffer());
    assertThat(CODEC.encode("anything", back.anything(), LIMITS)).isEqualTo(json);
    assertThat(CODEC.encode("map", back.map().get("in"), LIMITS)).isEqualTo(json);
    assertThat(PayloadHash.of(CODEC.encode("tree", back.tree(), LIMITS)))
        .isEqualTo(PayloadHash.of(json)); // a tree cuts a decimal's trailing zeros
    assertThat(back.json()).isEqualTo(json);
    assertSame(back.objects().get(0), object);
    assertSame(roundTrip(object, JsonObject.class), object);
    assertSame(roundTrip(array, JsonArray.class), array);
    assertSame(VertxJson.object(VertxJson.of(object)), object);
    assertSame(VertxJson.array(VertxJson.of(array)), array);
  }

  @Property(tries = 500)
  void text_that_is_read_and_written_again_is_the_same_value(@ForAll("objects") JsonObject object) {
    Json json = VertxJson.of(object);

    Json again = VertxJson.of(VertxJson.object(json));

    assertThat(again).isEqualTo(json);
    assertThat(PayloadHash.of(again)).isEqualTo(PayloadHash.of(json));
  }

  private static <T> T roundTrip(T value, Class<T> type) {
    return CODEC.decode("value", CODEC.encode("value", value, LIMITS), type);
  }

  /** Equal, and of equal text: {@code equals} of Vert.x tells neither 1 from 1.0 nor 0.0 from -0.0. */
  private static void assertSame(JsonObject actual, JsonObject expected) {
    assertThat(actual).isEqualTo(expected);
    assertThat(VertxJson.of(actual)).isEqualTo(VertxJson.of(expected));
    assertThat(classes(actual)).isEqualTo(classes(expected));
  }

  private static void assertSame(JsonArray actual, JsonArray expected) {
    assertThat(actual).isEqualTo(expected);
    assertThat(VertxJson.of(actual)).isEqualTo(VertxJson.of(expected));
  }

  private static List<Class<?>> classes(JsonObject object) {
    return object.stream()
        .map(Map.Entry::getValue)
        .<Class<?>>map(value -> value == null ? Void.class : value.getClass())
        .toList();
  }

  @Provide
  Arbitrary<JsonObject> objects() {
    return objects(values(3));
  }

  private static Arbitrary<JsonObject> objects(Arbitrary<Object> values) {
    return Arbitraries.maps(texts(), values)
        .ofMaxSize(4)
        .map(map -> new JsonObject(new LinkedHashMap<>(map)));
  }

  private static Arbitrary<Object> values(int depth) {
    Arbitrary<Object> plain = Arbitraries.oneOf(
        texts().map(Object.class::cast),
        numbers(),
        Arbitraries.of(true, false).map(Object.class::cast),
        Arbitraries.create(() -> null));
    if (depth == 0) {
      return plain;
    }
    Arbitrary<Object> inner = Arbitraries.lazy(() -> values(depth - 1));
    return Arbitraries.oneOf(
        plain,
        objects(inner).map(Object.class::cast),
        inner.list().ofMaxSize(4).map(list -> new JsonArray(list)));
  }

  /** As a reader makes them: the smallest type of a whole number, a decimal only where no double has the value. */
  private static Arbitrary<Object> numbers() {
    return Arbitraries.oneOf(
        Arbitraries.integers().map(Object.class::cast),
        Arbitraries.longs().map(JsonCodecPropertyTest::smallest),
        Arbitraries.bigIntegers()
            .between(BigInteger.TEN.pow(40).negate(), BigInteger.TEN.pow(40))
            .map(big -> big.bitLength() < 64 ? smallest(big.longValue()) : big),
        Arbitraries.doubles().map(Object.class::cast),
        Arbitraries.of(
                0.0,
                -0.0,
                1.0,
                Double.MIN_VALUE,
                Double.MAX_VALUE,
                (1L << 53) + 1,
                new BigDecimal("0.1234567890123456789"),
                new BigDecimal("1E+400"),
                new BigDecimal("-123456789012345678901234567890.12345678901234567890"))
            .map(Object.class::cast));
  }

  private static Object smallest(long number) {
    return number == (int) number ? (Object) (int) number : (Object) number;
  }

  /** Any UTF-16 at all: NUL, control characters and halves of pairs among it. */
  private static Arbitrary<String> texts() {
    return Arbitraries.of(
            Arrays.asList("", "\0", "\ud83d", "\ude80\ud83d", "\ud83d\ude80", "a\\u0000", "\u2028"))
        .edgeCases(edges -> edges.none())
        .flatMap(edge -> Arbitraries.strings()
            .withCharRange('\0', '\uffff')
            .ofMaxLength(8)
            .map(text -> text + edge));
  }
}
