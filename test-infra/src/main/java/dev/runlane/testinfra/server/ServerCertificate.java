package dev.runlane.testinfra.server;

import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.process.ProgramRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

/**
 * What a server with TLS shows its clients: a certificate for this machine alone ({@code localhost} and 127.0.0.1),
 * signed by itself.
 *
 * @param certificate in PEM
 * @param key of its owner alone, in PEM
 */
public record ServerCertificate(Path certificate, Path key) {
  private static final Duration KEYTOOL_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration VALIDITY = Duration.ofDays(36_500);
  private static final String ALIAS = "server";
  private static final String PASSWORD = "not a secret: the key is beside it";

  /**
   * The one of this folder, made by the first who asks.
   *
   * @param account the user that the server runs as, who must be able to enter the folder
   * @throws ServerException if the JVM has no keytool
   */
  public static ServerCertificate in(Path folder, ServerAccount account) throws IOException {
    ServerCertificate made =
        new ServerCertificate(folder.resolve("server.crt"), folder.resolve("server.key"));
    Path store = folder.resolve("server.p12");
    if (!Files.exists(made.key)) {
      made.write(store(store));
      account.own(made.key);
      account.own(made.certificate);
    }
    Files.deleteIfExists(store); // it has the key too, and a password that is no secret
    return made;
  }

  private static KeyStore store(Path file) throws IOException {
    Files.deleteIfExists(file); // of a process that ended in between
    ProgramRun keytool = ProgramRun.of(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-keystore",
            file.toString(),
            "-storetype",
            "PKCS12",
            "-storepass",
            PASSWORD,
            "-alias",
            ALIAS,
            "-keyalg",
            "EC",
            "-validity",
            String.valueOf(VALIDITY.toDays()),
            "-dname",
            "CN=localhost",
            "-ext",
            "san=dns:localhost,ip:127.0.0.1"),
        KEYTOOL_TIMEOUT);
    if (!keytool.succeeded()) {
      throw new ServerException("keytool failed:\n" + keytool.output());
    }
    try {
      return KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
    } catch (GeneralSecurityException unreadable) {
      throw new ServerException("what keytool made can't be read: " + unreadable, unreadable);
    }
  }

  private void write(KeyStore store) throws IOException {
    try {
      Files.writeString(
          certificate, pem("CERTIFICATE", store.getCertificate(ALIAS).getEncoded()));
      FolderTree.createSecret(
          key, pem("PRIVATE KEY", store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
    } catch (GeneralSecurityException unreadable) {
      throw new ServerException("what keytool made can't be read: " + unreadable, unreadable);
    }
  }

  private static String pem(String kind, byte[] content) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN " + kind + "-----\n" + lines + "\n-----END " + kind + "-----\n";
  }
}
