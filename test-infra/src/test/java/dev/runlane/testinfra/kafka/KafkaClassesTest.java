package dev.runlane.testinfra.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.folder.ServerCache;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class KafkaClassesTest {
  private static final String SHARED = "-XX:SharedArchiveFile=";

  @Test
  void brokers_start_from_one_archive_of_their_classes() {
    ServerAccount account = ServerAccount.self();
    ServerCache cache = ServerCache.ofUser(EmbeddedKafka.SERVER, account);

    List<String> options = KafkaClasses.options(cache, account);

    assertThat(options.get(0)).startsWith(SHARED);
    assertThat(Path.of(options.get(0).substring(SHARED.length()))).isNotEmptyFile();
    assertThat(KafkaClasses.options(cache, account)).isEqualTo(options);
  }
}
