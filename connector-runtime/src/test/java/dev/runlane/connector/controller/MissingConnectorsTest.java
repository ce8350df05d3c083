package dev.runlane.connector.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.controller.MissingConnectors.OnDisk;
import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.controller.registry.ConnectorRegistry;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.run.Environment;
import dev.runlane.run.EventHeader;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.timing.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayNameGeneration(ReplaceUnderscores.class)
@DisplayName("a process that looks at a run which others may have to launch")
class MissingConnectorsTest {
  private static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");

  @TempDir
  private Path folder;

  private final ManualTime time = ManualTime.at(NOON);
  private final AtomicInteger claims = new AtomicInteger();

  /** With this version of the shelf. */
  private MissingConnectors having(String version) {
    Path polyfills = folder.resolve(version);
    Folders.runnable(polyfills, "shelf", version, "exit 0\n");
    return new MissingConnectors(
        registries(version), time.clock(), time.timers(), new ConnectorControllerOptions());
  }

  private MissingConnectors havingNone() {
    return new MissingConnectors(
        new ConnectorRegistries(ConnectorRegistry.empty(), ConnectorRegistry.empty()),
        time.clock(),
        time.timers(),
        new ConnectorControllerOptions());
  }

  private ConnectorRegistries registries(String version) {
    return new ConnectorRegistries(
        ConnectorRegistry.empty(), ConnectorRegistry.read(folder.resolve(version)));
  }

  private ConnectorRunPayload acceptedWith(String version) {
    return ConnectorRunPayload.of(
        RunRequest.now("shelf"),
        Optional.empty(),
        registries(version).describe("shelf").orElseThrow());
  }

  private static ActiveRun run() {
    return new ActiveRun(
        new RunIdentity("run_1", "trc_1", ConnectorRef.of("shelf")),
        RunTrigger.RUN_NOW,
        null,
        1,
        new ControllerProcess("ctl", "host", "boot", 1, 1, null),
        NOON,
        null,
        null);
  }

  /** Given back until 40 s past noon. */
  private static RunRecord givenBack(Json payload) {
    EventHeader header = EventHeader.bySystem(new Environment("default"), "run_1", NOON);
    return RunRecord.builder(new RunEvent.Created(
            header,
            "connectors.run",
            "connectors",
            payload,
            null,
            RunKeys.NONE,
            RunSource.TRIGGER,
            Map.of()))
        .status(RunStatus.RELEASED)
        .runAt(NOON.plusSeconds(40))
        .build();
  }

  private static Json json(ConnectorRunPayload payload) {
    return JsonCodec.standard().encode("payload", payload, JsonLimits.PAYLOAD);
  }

  @Test
  void claims_a_run_of_a_connector_it_has_as_soon_as_it_is_due() {
    MissingConnectors missing = having("1");

    missing.claimWhenDue(run(), givenBack(json(acceptedWith("1"))), claims::incrementAndGet);

    time.advance(Duration.ofSeconds(39));
    assertThat(claims).hasValue(0);
    time.advance(Duration.ofSeconds(1));
    assertThat(claims).hasValue(1);
  }

  @Test
  void claims_no_run_of_another_manifest_than_it_has() {
    having("1");
    MissingConnectors missing = having("2");

    missing.claimWhenDue(run(), givenBack(json(acceptedWith("1"))), claims::incrementAndGet);

    time.advance(Duration.ofMinutes(1));
    assertThat(claims).hasValue(0);
  }

  @Test
  void claims_a_run_whose_payload_says_of_the_connector_no_more_than_its_id() {
    MissingConnectors missing = having("1");

    missing.claimWhenDue(run(), givenBack(Json.ofChecked("{}")), claims::incrementAndGet);

    time.advance(Duration.ofMinutes(1));
    assertThat(claims).hasValue(1);
  }

  @Test
  void gives_a_run_back_for_longer_than_others_take_to_look_but_not_beyond_ten_minutes() {
    having("1");
    MissingConnectors missing = havingNone();
    ConnectorRunPayload payload = acceptedWith("1");

    assertThat(missing.pause(run(), payload, OnDisk.AS_READ, 2).orElseThrow())
        .isBetween(Duration.ofMillis(37_500), Duration.ofMillis(52_500));
    time.advance(Duration.ofSeconds(590));
    assertThat(missing.pause(run(), payload, OnDisk.AS_READ, 2)).contains(Duration.ofSeconds(10));
    time.advance(Duration.ofSeconds(10));
    assertThat(missing.pause(run(), payload, OnDisk.AS_READ, 2)).isEmpty();
    assertThat(having("3").pause(run(), acceptedWith("3"), OnDisk.AS_READ, 2)).isEmpty();
  }

  @Test
  void gives_a_run_back_once_however_old_it_is() {
    having("1");
    MissingConnectors missing = havingNone();
    time.advance(Duration.ofHours(1));

    assertThat(missing.pause(run(), acceptedWith("1"), OnDisk.AS_READ, 1)).isPresent();
    assertThat(missing.pause(run(), acceptedWith("1"), OnDisk.AS_READ, 2)).isEmpty();
  }

  @Test
  void neither_launches_nor_claims_a_run_of_a_connector_that_was_changed_since_it_read_it() {
    MissingConnectors missing = having("1");
    ConnectorRunPayload payload = acceptedWith("1");

    assertThat(missing.pause(run(), payload, OnDisk.CHANGED, 1)).isPresent();
    missing.claimWhenDue(run(), givenBack(json(payload)), claims::incrementAndGet);
    time.advance(Duration.ofSeconds(40));
    assertThat(claims).hasValue(0);
    assertThat(missing.pause(run(), payload, OnDisk.AS_READ, 2)).isEmpty();
  }

  @Test
  void gives_a_run_of_another_manifest_back_until_all_have_looked_and_launches_it_with_its_own() {
    having("1");
    MissingConnectors missing = having("2");
    ConnectorRunPayload payload = acceptedWith("1");

    assertThat(missing.pause(run(), payload, OnDisk.AS_READ, 2)).isPresent();
    time.advance(Duration.ofSeconds(89));
    assertThat(missing.pause(run(), payload, OnDisk.AS_READ, 2)).contains(Duration.ofSeconds(1));
    time.advance(Duration.ofSeconds(1));
    assertThat(missing.pause(run(), payload, OnDisk.AS_READ, 2)).isEmpty();
  }
}
