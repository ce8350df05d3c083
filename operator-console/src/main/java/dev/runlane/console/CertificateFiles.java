package dev.runlane.console;

import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate that a server shows, from two PEM files that somebody renews: what {@code certbot} or a controller of
 * Kubernetes puts into their place is shown to whoever connects from then on, without a restart. A pair that does not
 * belong together is not taken: of two files one is always written first.
 */
final class CertificateFiles {
  /** How often the files are looked at = 1 min. */
  static final Duration LOOKED_AT = Duration.ofMinutes(1);

  /** How long before its end a certificate that nobody has renewed is logged = 7 days. */
  static final Duration RENEWED_BEFORE = Duration.ofDays(7);

  private static final Logger LOG = LoggerFactory.getLogger(CertificateFiles.class);
  private static final byte[] SIGNED = "runlane".getBytes(StandardCharsets.US_ASCII);

  /** By the algorithm of a key one that it signs with; keys of others are taken as they are. */
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

  private final Vertx vertx;
  private final String certificatePath;
  private final String keyPath;
  private final Clock clock;
  private @Nullable Pair shown;
  private @Nullable Instant warnedOf; // the end of the certificate of which it was logged

  CertificateFiles(Vertx vertx, String certificatePath, String keyPath, Clock clock) {
    this.vertx = vertx;
    this.certificatePath = certificatePath;
    this.keyPath = keyPath;
    this.clock = clock;
  }

  /** Reads the files. Fails with {@code ConfigurationInvalid} where they cannot be read or are no pair. */
  Future<PemKeyCertOptions> read() {
    return pair().onSuccess(this::show).map(pair -> pair.options().copy());
  }

  /**
   * Reads the files again, and gives what is new in them to the server.
   *
   * @param server shows another pair from then on, and changes nothing else of its TLS
   * @return whether there was another pair; fails as {@link #read} does, and the server shows what it did
   */
  Future<Boolean> renew(Function<PemKeyCertOptions, Future<Boolean>> server) {
    return pair().compose(found -> {
      if (found.isSame(shown)) {
        warnOfEnd(found);
        return Future.succeededFuture(false);
      }
      return server
          .apply(found.options().copy())
          .onSuccess(taken -> show(found))
          .map(true);
    });
  }

  private void show(Pair pair) {
    shown = pair;
    LOG.info("the certificate in {} is shown, valid until {}", certificatePath, pair.end());
    warnOfEnd(pair);
  }

  private void warnOfEnd(Pair pair) {
    if (!pair.end().equals(warnedOf) && clock.now().plus(RENEWED_BEFORE).isAfter(pair.end())) {
      warnedOf = pair.end();
      LOG.warn(
          "the certificate in {} ends at {}: one that is put into its place is shown within a minute",
          certificatePath,
          pair.end());
    }
  }

  private Future<Pair> pair() {
    return Future.all(
            vertx.fileSystem().readFile(certificatePath), vertx.fileSystem().readFile(keyPath))
        .compose(files -> vertx.executeBlocking(
            () -> Pair.of(vertx, files.resultAt(0), files.resultAt(1)), false))
        .recover(failure -> Future.failedFuture(RunlaneException.configurationInvalid(
                "certificatePath %s and privateKeyPath %s are no pair: %s",
                certificatePath, keyPath, String.valueOf(failure.getMessage()))
            .causedBy(failure)));
  }

  private record Pair(PemKeyCertOptions options, Instant end) {
    static Pair of(Vertx vertx, Buffer certificate, Buffer key) throws Exception {
      PemKeyCertOptions options =
          new PemKeyCertOptions().setCertValue(certificate).setKeyValue(key);
      for (KeyManager each : options.getKeyManagerFactory(vertx).getKeyManagers()) {
        if (each instanceof X509KeyManager keys) {
          return new Pair(options, checked(keys).getNotAfter().toInstant());
        }
      }
      throw new GeneralSecurityException("no key of a server");
    }

    boolean isSame(@Nullable Pair other) {
      return other != null
          && Objects.equals(options.getCertValue(), other.options.getCertValue())
          && Objects.equals(options.getKeyValue(), other.options.getKeyValue());
    }

    /** The server's own certificate, behind which the key stands. */
    private static X509Certificate checked(X509KeyManager keys) throws GeneralSecurityException {
      String alias = Arrays.stream(new String[] {"RSA", "EC", "EdDSA", "RSASSA-PSS"})
          .map(type -> keys.getServerAliases(type, null))
          .filter(aliases -> aliases != null && aliases.length > 0)
          .findFirst()
          .orElseThrow(() -> new GeneralSecurityException("no key of a server"))[0];
      X509Certificate certificate = keys.getCertificateChain(alias)[0];
      PrivateKey key = keys.getPrivateKey(alias);
      String algorithm = SIGNATURES.get(key.getAlgorithm());
      if (algorithm != null) {
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(SIGNED);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(SIGNED);
        if (!signature.verify(signed)) {
          throw new GeneralSecurityException("the key is not that of the certificate");
        }
      }
      return certificate;
    }
  }
}
