package dev.runlane.transport.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.process.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Certificates of an authority of a test's own, for this machine, as PEM files with their keys. */
final class Certificates {
  private static final String PASSWORD = "not a secret";

  private final Path folder;
  private final Path store;

  /** Makes the authority. */
  Certificates(Path folder) {
    this.folder = folder;
    store = folder.resolve("authority.p12");
    keytool("authority", "CN=authority", "-ext", "bc:c", "-validity", "3650");
  }

  /** What clients trust. */
  Path authority() {
    return write("trusted.pem", certificate(chain("authority")[0]));
  }

  /** A certificate that clients accept. */
  Path valid() {
    keytool("valid", "CN=localhost", "-signer", "authority", "-validity", "3650");
    return server("valid");
  }

  /** One of the same authority that was valid until five days ago. */
  Path expired() {
    keytool(
        "expired", "CN=localhost", "-signer", "authority", "-startdate", "-10d", "-validity", "5");
    return server("expired");
  }

  private Path server(String alias) {
    try {
      StringBuilder all = new StringBuilder(
          pem("PRIVATE KEY", keyStore().getKey(alias, PASSWORD.toCharArray()).getEncoded()));
      for (Certificate each : chain(alias)) {
        all.append(certificate(each));
      }
      return write(alias + ".pem", all.toString());
    } catch (GeneralSecurityException | IOException failure) {
      throw new AssertionError(failure);
    }
  }

  private void keytool(String alias, String name, String... more) {
    List<String> command = new ArrayList<>(List.of(
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair",
        "-keystore",
        store.toString(),
        "-storetype",
        "PKCS12",
        "-storepass",
        PASSWORD,
        "-alias",
        alias,
        "-keyalg",
        "EC",
        "-dname",
        name,
        "-ext",
        "san=dns:localhost,ip:127.0.0.1"));
    command.addAll(List.of(more));
    ProgramRun keytool = ProgramRun.of(command, Duration.ofMinutes(1));
    assertThat(keytool.succeeded()).as(keytool.output()).isTrue();
  }

  private Certificate[] chain(String alias) {
    try {
      return keyStore().getCertificateChain(alias);
    } catch (GeneralSecurityException | IOException failure) {
      throw new AssertionError(failure);
    }
  }

  private KeyStore keyStore() throws GeneralSecurityException, IOException {
    return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
  }

  private static String certificate(Certificate each) {
    try {
      return pem("CERTIFICATE", each.getEncoded());
    } catch (GeneralSecurityException failure) {
      throw new AssertionError(failure);
    }
  }

  private static String pem(String kind, byte[] content) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN " + kind + "-----\n" + lines + "\n-----END " + kind + "-----\n";
  }

  private Path write(String file, String content) {
    try {
      return Files.writeString(folder.resolve(file), content);
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }
}
