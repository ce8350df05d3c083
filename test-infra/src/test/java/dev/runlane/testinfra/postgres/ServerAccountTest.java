package dev.runlane.testinfra.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.security.auth.module.UnixSystem;
import dev.runlane.testinfra.Durability;
import dev.runlane.testinfra.ServerException;
import dev.runlane.testinfra.Sql;
import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.folder.ServerAccount;
import dev.runlane.testinfra.folder.ServerCache;
import dev.runlane.testinfra.folder.TestFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
class ServerAccountTest {
  @TempDir(factory = TestFolders.class)
  private Path folder;

  @BeforeEach
  void onlyAsRoot() {
    assumeThat(new UnixSystem().getUid())
        .as("only root must become somebody else")
        .isZero();
  }

  static List<ServerAccount> waysOutOfRoot() {
    return ServerAccount.WAYS_OUT_OF_ROOT;
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("waysOutOfRoot")
  void every_way_out_of_root_that_this_machine_allows_runs_a_server(ServerAccount account)
      throws Exception {
    assumeThat(account.works()).as(account.prefix().get(0)).isTrue();
    PostgresPlan plan = new PostgresPlan(
        folder,
        0,
        Durability.PROCESS_LOSS,
        EmbeddedPostgres.Builder.DEFAULT_START_TIMEOUT,
        Map.of());

    try (EmbeddedPostgres server = EmbeddedPostgres.start(
        ServerCache.ofUser(EmbeddedPostgres.SERVER, account), account, plan)) {
      PostgresAddress orders = server.createDatabase("orders");
      server.kill();
      server.restart();

      assertThat(Sql.column(orders, "SELECT 1")).containsExactly("1");
      assertThat(ProcessHandle.of(server.pid()).orElseThrow().info().command().orElseThrow())
          .endsWith("/postgres");
    }
  }

  @Test
  void a_folder_that_nobody_can_enter_is_named() throws IOException {
    Path closed = Files.createDirectory(folder.resolve("closed"));
    FolderTree.permit(closed, "rwx------");
    Path inside = closed.resolve("data");

    assertThatThrownBy(EmbeddedPostgres.builder().dataFolder(inside)::start)
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("can't enter " + closed + ":");
  }

  @Test
  void whether_a_folder_will_do_can_be_asked_before() throws IOException {
    Path closed = Files.createDirectory(folder.resolve("closed"));
    FolderTree.permit(closed, "rwx------");

    assertThat(EmbeddedPostgres.canKeepDataIn(folder)).isTrue();
    assertThat(EmbeddedPostgres.canKeepDataIn(closed)).isFalse();
  }
}
