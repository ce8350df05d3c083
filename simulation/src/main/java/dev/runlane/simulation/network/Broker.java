package dev.runlane.simulation.network;

import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.DeliveryResult;
import dev.runlane.transport.DeliveryWorker;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A transport that shares wakeups out and forgets none, as Kafka does. Every wakeup is a record of one partition, and
 * every partition has one owner among the members of the group. What an owner has not committed comes again to the
 * next: a member that is not heard of for its session is thrown out, and what it commits afterwards is refused.
 *
 * <pre>
 *   publish ─► record ─► taken by the owner ─► settled ─► committed, up to the first that is not settled
 *                ▲                                │
 *                └──── the next owner begins ─────┘ thrown out, killed, or the partition was taken away before
 * </pre>
 */
public final class Broker implements WakeupTransport {
  private static final int PARTITIONS = 5;
  private static final Duration SESSION = Duration.ofSeconds(10);

  private final VirtualTime time;
  private final Faults faults;
  private final Trace trace;
  private final Delivered delivered;
  private final PublishLine line;
  private final List<Partition> partitions = new ArrayList<>();
  private final Map<GroupMember, Long> heardAt = new LinkedHashMap<>(); // the members, in order
  private int shift;

  /**
   * A group without members.
   *
   * @param delivered looks at everything that is dealt with
   */
  public Broker(VirtualTime time, Faults faults, Chance trips, Trace trace, Delivered delivered) {
    this.time = time;
    this.faults = faults;
    this.trace = trace;
    this.delivered = delivered;
    line = new PublishLine(time, faults, trips, trace, false, this::append);
    for (int number = 0; number < PARTITIONS; number++) {
      partitions.add(new Partition(number));
    }
    for (Fault fault : faults.of(Kind.REBALANCE)) {
      time.after(fault.from() - time.now(), Lifetime.WORLD, this::shuffle);
    }
  }

  /**
   * Looks at what consumers do with records.
   *
   * @param acknowledged a wakeup was dealt with, and will not come again
   * @param buried a wakeup was given up after its tries
   * @param found something is broken
   */
  public record Delivered(
      BiConsumer<DeliveryMessage, DeliveryResult> acknowledged,
      Consumer<DeliveryMessage> buried,
      Consumer<Violation> found) {}

  @Override
  public TransportAdapter of(Lifetime life) {
    return new End(life);
  }

  @Override
  public Optional<GroupMember> consumer(Lifetime life, DeliveryWorker worker) {
    return Optional.of(new GroupMember(this, time, life, faults, trace, worker, delivered));
  }

  @Override
  public Set<String> offered() {
    return line.offered();
  }

  @Override
  public Map<String, Instant> firstTries() {
    return line.firstTries();
  }

  @Override
  public String unsettled() {
    StringBuilder text = new StringBuilder();
    for (Partition partition : partitions) {
      if (partition.committed() < partition.end()) {
        text.append(partition)
            .append(" is committed up to ")
            .append(partition.committed())
            .append(" of ")
            .append(partition.end())
            .append("; ");
      }
    }
    return text.toString();
  }

  long trip() {
    return line.trip();
  }

  /** A consumer wants to be a member. */
  void join(GroupMember member) {
    if (heardAt.put(member, time.now()) == null) {
      trace.note(Lifetime.WORLD, member + " joins the group");
      time.after(VirtualTime.micros(SESSION), Lifetime.WORLD, () -> checkSession(member));
      balance();
    }
  }

  /** A consumer lives. */
  void heard(GroupMember member) {
    if (heardAt.containsKey(member)) {
      heardAt.put(member, time.now());
    } else {
      member.tell(member::thrownOut);
    }
  }

  /** Settled up to there, unless somebody else owns the partition by now. */
  void commit(GroupMember member, Partition partition, int epoch, int offset) {
    if (!partition.isOwnedBy(member, epoch)) {
      trace.note(Lifetime.WORLD, "a commit of " + member + " comes too late");
      return;
    }
    for (int record = partition.committed(); record < offset; record++) {
      if (!partition.entry(record).isSettled()) {
        delivered
            .found()
            .accept(new Violation(
                Rule.ACKNOWLEDGED,
                partition.entry(record).message().runId(),
                "record " + record + " of " + partition + " was committed by " + member
                    + " and never settled"));
      }
    }
    partition.commit(offset);
  }

  /** The owner has given up a partition that it was asked for. */
  void released(GroupMember member, Partition partition, int epoch) {
    if (partition.isOwnedBy(member, epoch)) {
      partition.disown();
      balance();
    }
  }

  /** A member ends. */
  void leave(GroupMember member) {
    if (heardAt.remove(member) != null) {
      trace.note(Lifetime.WORLD, member + " leaves the group");
      disown(member);
    }
  }

  private void append(DeliveryMessage message, long delay) {
    Partition partition =
        partitions.get(Math.floorMod(message.runId().hashCode(), partitions.size()));
    time.after(delay, Lifetime.WORLD, () -> {
      partition.append(message);
      GroupMember owner = partition.owner();
      if (owner != null) {
        owner.tell(owner::takeMore);
      }
    });
  }

  private void checkSession(GroupMember member) {
    Long heard = heardAt.get(member);
    if (heard == null) {
      return;
    }
    long left = heard + VirtualTime.micros(SESSION) - time.now();
    if (left > 0) {
      time.after(left, Lifetime.WORLD, () -> checkSession(member));
    } else {
      trace.note(Lifetime.WORLD, member + " is thrown out of the group");
      heardAt.remove(member);
      disown(member);
    }
  }

  private void disown(GroupMember member) {
    partitions.stream().filter(partition -> partition.owner() == member).forEach(Partition::disown);
    balance();
  }

  private void shuffle() {
    faults.happened(Kind.REBALANCE);
    shift++;
    balance();
  }

  /** Gives out what nobody owns, and asks owners for what is to be another's. */
  private void balance() {
    List<GroupMember> members = List.copyOf(heardAt.keySet());
    for (int number = 0; number < partitions.size() && !members.isEmpty(); number++) {
      Partition partition = partitions.get(number);
      GroupMember wanted = members.get((number + shift) % members.size());
      @Nullable GroupMember owner = partition.owner();
      if (owner == null) {
        partition.own(wanted);
        int epoch = partition.epoch();
        int from = partition.committed();
        wanted.tell(() -> wanted.assigned(partition, epoch, from));
      } else if (owner != wanted && !partition.isLeaving()) {
        partition.leave();
        int epoch = partition.epoch();
        owner.tell(() -> owner.revoked(partition, epoch));
      }
    }
  }

  /** One process's end of it. */
  private final class End implements TransportAdapter {
    private final Lifetime life;

    End(Lifetime life) {
      this.life = life;
    }

    @Override
    public Set<TransportCapability> capabilities() {
      return Set.of(TransportCapability.DURABLE_DELIVERY);
    }

    @Override
    public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
      return line.publish(command, life);
    }
  }
}
