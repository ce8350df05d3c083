package dev.runlane.conformance.provider;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.transport.ForwardingTransportAdapter;
import dev.runlane.transport.PublishChecks;
import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;

/** A transport behind which the provider has faults: what publishers are tried against. */
public final class FaultyTransport extends ForwardingTransportAdapter {
  private static final FailureRecord REFUSED = new FailureRecord(
      ErrorCode.TRANSPORT_PUBLISH_FAILED, "the provider refused the wakeup", true, null);

  private final ProviderFaults faults;

  /** The transport with these faults, which it may share with others. */
  public FaultyTransport(TransportAdapter transport, ProviderFaults faults) {
    super(transport);
    this.faults = Objects.requireNonNull(faults);
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    return AdapterCall.of("publishWakeups", () -> {
      PublishChecks.check(command);
      ProviderFaults.Fate fate = faults.next(command);
      return switch (fate.answer()) {
        case NEVER -> Promise.<List<WakeupPublishOutcome>>promise().future();
        case OUTAGE -> Future.failedFuture(outage());
        case LOST -> publish(command, fate).compose(lost -> Future.failedFuture(outage()));
        case GIVEN -> publish(command, fate);
      };
    });
  }

  private Future<List<WakeupPublishOutcome>> publish(
      PublishWakeups command, ProviderFaults.Fate fate) {
    List<PublishWakeups.Attempt> taken = new ArrayList<>();
    List<PublishWakeups.Attempt> again = new ArrayList<>();
    List<PublishWakeups.Attempt> later = new ArrayList<>();
    for (int i = 0; i < command.attempts().size(); i++) {
      PublishWakeups.Attempt attempt = command.attempts().get(i);
      switch (fate.wakeups().get(i)) {
        case REFUSED -> {}
        case DELAYED -> later.add(attempt);
        case DOUBLED -> {
          taken.add(attempt);
          again.add(attempt);
        }
        case TAKEN -> taken.add(attempt);
      }
    }
    return super.publishWakeups(new PublishWakeups(taken))
        .compose(outcomes -> (again.isEmpty()
                ? Future.succeededFuture()
                : super.publishWakeups(new PublishWakeups(again)))
            .map(doubled -> all(fate, outcomes.iterator())))
        .andThen((all, failure) -> {
          if (failure == null && !later.isEmpty()) {
            faults.later(() -> super.publishWakeups(new PublishWakeups(later)));
          }
        });
  }

  private static List<WakeupPublishOutcome> all(
      ProviderFaults.Fate fate, Iterator<WakeupPublishOutcome> taken) {
    List<WakeupPublishOutcome> all = new ArrayList<>();
    for (ProviderFaults.Wakeup wakeup : fate.wakeups()) {
      all.add(
          switch (wakeup) {
            case REFUSED -> new WakeupPublishOutcome.Failed(REFUSED);
            case DELAYED -> new WakeupPublishOutcome.Published(null);
            case DOUBLED, TAKEN -> taken.next();
          });
    }
    return all;
  }

  private static RunlaneException outage() {
    return RunlaneException.unavailable(
        ErrorCode.TRANSPORT_UNAVAILABLE, null, "the provider cannot be reached");
  }
}
