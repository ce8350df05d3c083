package dev.runlane.console.access;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A provider of OpenID Connect: discovery, keys, the code flow with PKCE; what it answers may be spoilt by a test. */
public final class SmallProvider {
  /** Made once: it takes longer than most cases do. */
  private static final KeyPair FIRST_KEYS = keys();

  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  final JsonObject spoilt = new JsonObject();
  final JsonObject discovered = new JsonObject(); // said instead
  KeyPair signing = FIRST_KEYS;
  String clientSecret = "s3cret-of-the-console";
  JsonObject accessToken; // null: an opaque one
  boolean areKeysToBeReadAgain; // in an hour
  int silentTokens; // so many requests for tokens are not answered

  private KeyPair published = signing;
  private String keyId = "one";
  private String publishedId = keyId;
  private final Map<String, JsonObject> codes = new HashMap<>();
  private final int port;
  private int authorized;

  /** One that listens. */
  public SmallProvider(Vertx vertx) {
    try {
      port = vertx
          .createHttpServer()
          .requestHandler(this::answer)
          .listen(0, "127.0.0.1")
          .await(60, TimeUnit.SECONDS)
          .actualPort();
    } catch (TimeoutException silent) {
      throw new AssertionError(silent);
    }
  }

  /** Its address. */
  public String issuer() {
    return "http://127.0.0.1:" + port;
  }

  /** From now on it signs by another key, under another id, which it does not publish yet. */
  void changeKey() {
    signing = keys();
    keyId = "two";
  }

  /** The key by which it signs is the one that it publishes. */
  void publishKey() {
    published = signing;
    publishedId = keyId;
  }

  static KeyPair keys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2_048);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private void answer(HttpServerRequest request) {
    switch (request.path()) {
      case "/.well-known/openid-configuration" ->
        json(
            request,
            200,
            new JsonObject()
                .put("issuer", issuer())
                .put("authorization_endpoint", issuer() + "/authorize")
                .put("token_endpoint", issuer() + "/token")
                .put("jwks_uri", issuer() + "/keys")
                .put("response_types_supported", new JsonArray().add("code"))
                .put("subject_types_supported", new JsonArray().add("public"))
                .put("grant_types_supported", new JsonArray().add("authorization_code"))
                .put("id_token_signing_alg_values_supported", new JsonArray().add("RS256"))
                .mergeIn(discovered));
      case "/keys" -> {
        if (areKeysToBeReadAgain) {
          request.response().putHeader("cache-control", "max-age=3600");
        }
        json(request, 200, new JsonObject().put("keys", new JsonArray().add(key())));
      }
      case "/authorize" -> authorize(request);
      case "/token" -> token(request);
      default -> json(request, 404, new JsonObject());
    }
  }

  private JsonObject key() {
    RSAPublicKey key = (RSAPublicKey) published.getPublic();
    return new JsonObject()
        .put("kty", "RSA")
        .put("alg", "RS256")
        .put("use", "sig")
        .put("kid", publishedId)
        .put("n", number(key.getModulus()))
        .put("e", number(key.getPublicExponent()));
  }

  private static String number(BigInteger value) {
    byte[] bytes = value.toByteArray();
    int from = bytes[0] == 0 ? 1 : 0;
    return BASE64.encodeToString(java.util.Arrays.copyOfRange(bytes, from, bytes.length));
  }

  /** How often somebody was sent to it. */
  int authorized() {
    return authorized;
  }

  /** Anna logs in at once. */
  private void authorize(HttpServerRequest request) {
    String code = "code_" + authorized++;
    codes.put(
        code,
        new JsonObject()
            .put("nonce", request.getParam("nonce"))
            .put("challenge", request.getParam("code_challenge"))
            .put("method", request.getParam("code_challenge_method"))
            .put("redirect", request.getParam("redirect_uri"))
            .put("client", request.getParam("client_id")));
    request
        .response()
        .setStatusCode(302)
        .putHeader(
            "location",
            request.getParam("redirect_uri") + "?code=" + code + "&state="
                + request.getParam("state"))
        .end();
  }

  private void token(HttpServerRequest request) {
    if (silentTokens > 0) {
      silentTokens--;
      return;
    }
    request.setExpectMultipart(true);
    request.end().onSuccess(read -> {
      JsonObject begun = codes.remove(String.valueOf(request.getFormAttribute("code")));
      String expected = "Basic "
          + Base64.getEncoder()
              .encodeToString(("console:" + clientSecret).getBytes(StandardCharsets.UTF_8));
      boolean isClient = expected.equals(request.getHeader("authorization"));
      String verifier = String.valueOf(request.getFormAttribute("code_verifier"));
      if (request.method() != HttpMethod.POST
          || begun == null
          || !isClient
          || !"S256".equals(begun.getString("method"))
          || !BASE64
              .encodeToString(TokenOptions.hash(verifier))
              .equals(begun.getString("challenge"))
          || !begun.getString("redirect").equals(request.getFormAttribute("redirect_uri"))) {
        json(request, 400, new JsonObject().put("error", "invalid_grant"));
        return;
      }
      JsonObject claims = new JsonObject()
          .put("iss", issuer())
          .put("sub", "4711")
          .put("aud", begun.getString("client"))
          .put("exp", Instant.now().plusSeconds(300).getEpochSecond())
          .put("iat", Instant.now().getEpochSecond())
          .put("nonce", begun.getString("nonce"))
          .put("preferred_username", "anna")
          .put("roles", new JsonArray().add("staff").add("runlane-operator"))
          .mergeIn(spoilt);
      json(
          request,
          200,
          new JsonObject()
              .put("access_token", accessToken == null ? "opaque" : signed(accessToken))
              .put("token_type", "Bearer")
              .put("expires_in", 300)
              .put("id_token", signed(claims)));
    });
  }

  private String signed(JsonObject claims) {
    String head =
        new JsonObject().put("alg", "RS256").put("typ", "JWT").put("kid", keyId).encode();
    String text = BASE64.encodeToString(head.getBytes(StandardCharsets.UTF_8)) + "."
        + BASE64.encodeToString(claims.encode().getBytes(StandardCharsets.UTF_8));
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(signing.getPrivate());
      signature.update(text.getBytes(StandardCharsets.US_ASCII));
      return text + "." + BASE64.encodeToString(signature.sign());
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static void json(HttpServerRequest request, int status, JsonObject body) {
    request
        .response()
        .setStatusCode(status)
        .putHeader("content-type", "application/json")
        .end(body.encode());
  }
}
