package dev.runlane.testinfra.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.testinfra.Ports;
import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.folder.TestFolders;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every embedded server promises of its start. */
public abstract class EmbeddedServerCases {
  @TempDir(factory = TestFolders.class)
  protected Path folder;

  /** A builder that nothing was told yet. */
  protected abstract ServerBuilder<?, ?> builder();

  /** One with a setting that the server refuses. */
  protected abstract ServerBuilder<?, ?> impossible();

  /** What the server says to that. */
  protected abstract String refusal();

  @Test
  void a_port_in_use_is_named() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ServerBuilder<?, ?> wanted = builder().dataFolder(folder).port(taken.getLocalPort());

      assertThatThrownBy(wanted::start)
          .isInstanceOf(ServerException.class)
          .hasMessageContaining("port " + taken.getLocalPort() + " is in use");
    }
  }

  @Test
  void a_failed_start_shows_the_servers_own_words_and_leaves_the_folder_to_one_other() {
    ServerBuilder<?, ?> impossible = impossible().dataFolder(folder);

    assertThatThrownBy(impossible::start)
        .isInstanceOf(ServerException.class)
        .hasMessageContaining(refusal());
    try (EmbeddedServer first = builder().dataFolder(folder).start()) {
      ServerBuilder<?, ?> second = builder().dataFolder(folder);

      assertThatThrownBy(second::start)
          .isInstanceOf(ServerException.class)
          .hasMessageContaining(
              folder + " is in use by process " + ProcessHandle.current().pid());
      assertThat(Ports.isOpen(first.port())).isTrue();
    }
  }
}
