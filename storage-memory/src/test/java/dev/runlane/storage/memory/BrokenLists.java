package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.run.Json;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.ListRuns;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSort;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/** Storages that read and list wrongly. */
final class BrokenLists {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "sorts the runs of a batch read by id",
          SortedBatch::new,
          "RunRead.many_runs_come_in_the_order_asked_for"),
      that(
          "reads a doubled id once",
          DistinctBatch::new,
          "RunRead.missing_runs_are_left_out_and_doubled_ids_are_answered_twice"),
      that(
          "writes payloads anew",
          Reserializing::new,
          "StoredValue.json_is_kept_exactly_as_it_was_written"),
      that(
          "drops escaped NULs, as databases do that parse JSON",
          WithoutNul::new,
          "StoredValue.every_text_that_json_allows_is_kept_nul_and_half_pairs_among_it"),
      that(
          "continues a list of runs with another filter",
          real -> new Lax(real, (made, used) -> !made.filter().equals(used.filter())),
          "Cursor.a_cursor_of_runs_is_refused_with_another_filter"),
      that(
          "continues a list of runs with another sort",
          real -> new Lax(real, (made, used) -> !made.sort().equals(used.sort())),
          "Cursor.a_cursor_of_runs_is_refused_with_another_sort_or_environment"),
      that(
          "begins anew after a malformed cursor",
          Forgiving::new,
          "Cursor.a_malformed_cursor_is_refused"),
      that(
          "does not cut the limit of a page",
          Uncut::new,
          "RunList.a_page_without_a_limit_has_the_default_and_a_greater_one_is_cut_to_the_maximum"),
      that(
          "takes a limit of zero for the default",
          ZeroLimit::new,
          "Validation.a_malformed_command_fails_its_future_and_stores_nothing"),
      that(
          "ignores the status in the filter of a list",
          NoStatusFilter::new,
          "RunList.each_filter_shows_what_fits_it"),
      that(
          "ignores the direction of a list",
          OneDirection::new,
          "RunList.both_fields_sort_in_both_directions"),
      that(
          "ends every list after its first page",
          OnePage::new,
          "RunList.pages_hold_every_run_once_whatever_their_size"),
      that(
          "hides heartbeats from the history",
          NoHeartbeats::new,
          "Heartbeat.a_heartbeat_is_an_event_of_the_history",
          "EventList.every_heartbeat_stays_visible"),
      that(
          "lists the events of all runs by sequence",
          AnySequence::new,
          "Validation.a_malformed_command_fails_its_future_and_stores_nothing"),
      that(
          "lists a history newest first whatever was asked",
          BackwardHistory::new,
          "EventList.a_history_reads_in_both_directions_by_sequence"),
      that(
          "passes over how many bytes a page of events may have",
          AnyBytes::new,
          "EventList.a_page_ends_with_the_event_at_which_it_has_the_bytes_that_are_wanted"),
      that(
          "lists one creation of those at one time",
          OneCreationAtATime::new,
          "EventList.creations_of_any_runs_are_a_part_of_all_events_in_the_same_order"));

  private BrokenLists() {}

  private static ListRuns with(ListRuns query, RunFilter filter, RunSort sort, Integer limit) {
    return new ListRuns(query.environment(), filter, sort, limit, query.cursor());
  }

  private static final class SortedBatch extends ForwardingStorage {
    SortedBatch(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunRecord>> getRuns(GetRuns query) {
      return real.getRuns(query)
          .map(runs -> runs.stream().sorted(Comparator.comparing(RunRecord::id)).toList());
    }
  }

  private static final class DistinctBatch extends ForwardingStorage {
    DistinctBatch(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<List<RunRecord>> getRuns(GetRuns query) {
      return real.getRuns(
          new GetRuns(query.environment(), List.copyOf(new LinkedHashSet<>(query.runIds()))));
    }
  }

  private static final class Reserializing extends ForwardingStorage {
    Reserializing(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<RunRecord>> getRun(GetRun query) {
      return real.getRun(query).map(run -> run.map(Reserializing::anew));
    }

    private static RunRecord anew(RunRecord run) {
      String text = run.payload().text();
      return run.toBuilder()
          .payload(Json.ofChecked(
              text.strip().startsWith("{") ? new JsonObject(text).encode() : text.strip()))
          .build();
    }
  }

  private static final class WithoutNul extends ForwardingStorage {
    WithoutNul(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Optional<RunRecord>> getRun(GetRun query) {
      return real.getRun(query)
          .map(run -> run.map(each -> each.toBuilder()
              .payload(Json.ofChecked(each.payload().text().replace("\\u0000", "")))
              .build()));
    }
  }

  /** Takes a cursor that was made for another request, where the requests differ as given. */
  private static final class Lax extends ForwardingStorage {
    private final Map<String, ListRuns> made = new ConcurrentHashMap<>();
    private final BiPredicate<ListRuns, ListRuns> tolerated;

    Lax(StorageAdapter real, BiPredicate<ListRuns, ListRuns> tolerated) {
      super(real);
      this.tolerated = tolerated;
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      ListRuns before = query.cursor() == null ? null : made.get(query.cursor());
      ListRuns request = before != null && tolerated.test(before, query)
          ? with(query, before.filter(), before.sort(), query.limit())
          : query;
      return real.listRuns(request).onSuccess(page -> {
        if (page.nextCursor() != null) {
          made.put(page.nextCursor(), request);
        }
      });
    }
  }

  private static final class Forgiving extends ForwardingStorage {
    Forgiving(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return query.cursor() == null
          ? real.listRuns(query)
          : real.listRuns(query)
              .recover(failure -> real.listRuns(new ListRuns(
                  query.environment(), query.filter(), query.sort(), query.limit(), null)));
    }
  }

  /** Answers a page for each limit, however large. */
  private static final class Uncut extends ForwardingStorage {
    Uncut(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return real.listRuns(query)
          .compose(page -> query.limit() == null
                  || page.nextCursor() == null
                  || page.data().size() >= query.limit()
              ? Future.succeededFuture(page)
              : listRuns(new ListRuns(
                      query.environment(),
                      query.filter(),
                      query.sort(),
                      query.limit() - page.data().size(),
                      page.nextCursor()))
                  .map(rest -> new Page<>(
                      Stream.concat(page.data().stream(), rest.data().stream()).toList(),
                      rest.nextCursor())));
    }
  }

  private static final class ZeroLimit extends ForwardingStorage {
    ZeroLimit(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      Integer limit = query.limit();
      return real.listRuns(
          with(query, query.filter(), query.sort(), limit != null && limit < 1 ? null : limit));
    }
  }

  private static final class NoStatusFilter extends ForwardingStorage {
    NoStatusFilter(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return real.listRuns(
          with(query, query.filter().withStatuses(Set.of()), query.sort(), query.limit()));
    }
  }

  private static final class OneDirection extends ForwardingStorage {
    OneDirection(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      RunSort sort = new RunSort(query.sort().field(), SortDirection.DESC);
      return real.listRuns(with(query, query.filter(), sort, query.limit()));
    }
  }

  private static final class OnePage extends ForwardingStorage {
    OnePage(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunSummary>> listRuns(ListRuns query) {
      return real.listRuns(query).map(page -> new Page<>(page.data(), null));
    }
  }

  private static final class NoHeartbeats extends ForwardingStorage {
    NoHeartbeats(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
      return real.listRunEvents(query)
          .map(page -> new Page<>(
              page.data().stream()
                  .filter(row -> row.event().type() != RunEventType.LEASE_HEARTBEAT)
                  .toList(),
              page.nextCursor()));
    }
  }

  private static final class AnyBytes extends ForwardingStorage {
    AnyBytes(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
      return real.listRunEvents(new ListRunEvents(
          query.environment(), query.filter(), query.sort(), query.limit(), query.cursor()));
    }
  }

  private static final class AnySequence extends ForwardingStorage {
    AnySequence(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
      RunEventFilter filter = query.filter();
      return filter.runId() == null && query.sort().field() == RunEventSort.Field.SEQUENCE
          ? real.listRunEvents(new ListRunEvents(
              query.environment(),
              filter,
              new RunEventSort(RunEventSort.Field.OCCURRED_AT, query.sort().direction()),
              query.limit(),
              query.cursor(),
              query.bytes()))
          : real.listRunEvents(query);
    }
  }

  private static final class OneCreationAtATime extends ForwardingStorage {
    OneCreationAtATime(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
      if (!query.filter().types().equals(Set.of(RunEventType.CREATED))) {
        return real.listRunEvents(query);
      }
      return real.listRunEvents(query).map(page -> {
        Set<Instant> times = new HashSet<>();
        return new Page<>(
            page.data().stream()
                .filter(event -> times.add(event.event().header().occurredAt()))
                .toList(),
            page.nextCursor());
      });
    }
  }

  private static final class BackwardHistory extends ForwardingStorage {
    BackwardHistory(StorageAdapter real) {
      super(real);
    }

    @Override
    public Future<Page<RunEventRecord>> listRunEvents(ListRunEvents query) {
      return real.listRunEvents(new ListRunEvents(
          query.environment(),
          query.filter(),
          new RunEventSort(query.sort().field(), SortDirection.DESC),
          query.limit(),
          query.cursor(),
          query.bytes()));
    }
  }
}
