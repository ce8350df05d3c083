package dev.runlane.runtime.attempt;

/** Internal: the slot of a worker that an attempt is made in. Touched on the home context only. */
public interface AttemptSlot {
  /** Of an attempt without a worker: nobody else wants it, and nobody gets it. */
  AttemptSlot NONE = new AttemptSlot() {
    @Override
    public boolean isWanted() {
      return false;
    }

    @Override
    public boolean lend() {
      return false;
    }

    @Override
    public void reclaim(Runnable action) {
      action.run();
    }
  };

  /** Whether other runs wait for it, and no other slot is free. */
  boolean isWanted();

  /** Whether more runs wait than slots are free: as many as are lent are filled together. */
  default boolean hasBacklog() {
    return false;
  }

  /** Gives it to other runs while the handler only waits. False: it is kept, since too many wait already. */
  boolean lend();

  /** Runs the action, which lets the handler go on, once there is a slot again. */
  void reclaim(Runnable action);
}
