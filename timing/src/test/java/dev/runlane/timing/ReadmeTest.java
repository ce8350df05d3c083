package dev.runlane.timing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.timing.fire.FireTimes;
import io.vertx.core.Future;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Compiles and runs the README's example. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ReadmeTest {
  // readme:begin
  /** Notes every nightly fire once, in the order of time. */
  static final class NightlyReport {
    private final FireTimes nightly = FireTimes.cron("30 2 * * *", ZoneId.of("Europe/Berlin"));
    private final List<Instant> reported = new ArrayList<>();
    private final Clock clock;
    private final SweepLoop loop;
    private Instant swept;

    NightlyReport(Clock clock, Timers timers) {
      this.clock = clock;
      swept = clock.now();
      loop = new SweepLoop(timers, "nightly report", this::sweepOnce, Duration.ofHours(1));
    }

    void start() {
      loop.start();
    }

    Future<Void> stop() {
      return loop.stop();
    }

    List<Instant> reported() {
      return List.copyOf(reported);
    }

    private Future<Boolean> sweepOnce() {
      Instant now = clock.now();
      reported.addAll(nightly.between(swept, now, 10));
      swept = now;
      nightly.next(now).ifPresent(fire -> loop.wakeIn(Duration.between(now, fire)));
      return Future.succeededFuture(false);
    }
  }

  @Test
  void two_nights_pass_at_once_and_the_clocks_go_forward() {
    ManualClock clock = ManualClock.at(Instant.parse("2026-03-28T00:00:00Z"));
    ManualTimers timers = new ManualTimers(clock);
    NightlyReport report = new NightlyReport(clock, timers);

    report.start();
    timers.advance(Duration.ofDays(2));

    assertThat(report.reported())
        .containsExactly(
            Instant.parse("2026-03-28T01:30:00Z"), Instant.parse("2026-03-29T01:00:00Z"));
    assertThat(report.stop().succeeded()).isTrue();
  }
  // readme:end

  @Test
  void the_readme_shows_this_example() throws Exception {
    String source = Files.readString(Path.of("src/test/java/dev/runlane/timing/ReadmeTest.java"));
    String example = source.substring(
        source.indexOf("  // readme:begin\n") + "  // readme:begin\n".length(),
        source.indexOf("  // readme:end\n"));

    assertThat(Files.readString(Path.of("README.md")))
        .contains("```java\n" + example.replaceAll("(?m)^  ", "") + "```");
  }
}
