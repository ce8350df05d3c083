package dev.runlane.webhook;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** How requests to webhooks are signed, for those too that check them. */
public final class WebhookSignature {
  private static final String HMAC = "HmacSHA256";

  private WebhookSignature() {}

  /** {@code v1=} and the HMAC-SHA256 of timestamp, a dot and body, in hex. */
  public static String of(byte[] secret, String timestamp, String body) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(secret, HMAC));
      byte[] signed = (timestamp + "." + body).getBytes(StandardCharsets.UTF_8);
      return "v1=" + HexFormat.of().formatHex(mac.doFinal(signed));
    } catch (NoSuchAlgorithmException | InvalidKeyException impossible) {
      throw new IllegalStateException("every Java platform has " + HMAC, impossible);
    }
  }
}
