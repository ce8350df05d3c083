package dev.runlane.drills.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.run.RunKeys;
import dev.runlane.simulation.history.Forgery;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ExpectedEndsTest {
  private final Forgery forged = new Forgery();

  @Test
  void runs_that_end_as_their_items_say_are_left_alone() {
    created("good", Behaviour.SUCCEED).started("good", 1).succeeded("good", 1);
    created("bad", Behaviour.FAIL_FOR_GOOD).started("bad", 1).failed("bad", 1);
    created("asked", Behaviour.GIVE_UP_WHEN_ASKED).cancelled("asked");
    created("back", Behaviour.RELEASE_ONCE).started("back", 1).released("back", 1);
    forged.started("back", 2).succeeded("back", 2);

    assertThat(missed()).isZero();
  }

  @Test
  void an_attempt_too_many_is_found() {
    created("a", Behaviour.SUCCEED).started("a", 1).released("a", 1);
    forged.started("a", 2).succeeded("a", 2);

    assertThat(missed()).isOne();
  }

  @Test
  void an_attempt_that_is_missing_is_found() {
    created("a", Behaviour.RELEASE_ONCE).started("a", 1).succeeded("a", 1);

    assertThat(missed()).isOne();
  }

  @Test
  void another_status_is_found() {
    created("a", Behaviour.SUCCEED).started("a", 1).failed("a", 1);

    assertThat(missed()).isOne();
  }

  private Forgery created(String run, Behaviour behaviour) {
    return forged.created(
        run, "free", RunKeys.NONE, "{\"behaviour\":\"" + behaviour.name() + "\"}");
  }

  private int missed() {
    return ExpectedEnds.missed(forged.state().histories()).size();
  }
}
