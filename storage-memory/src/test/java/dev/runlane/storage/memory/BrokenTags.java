package dev.runlane.storage.memory;

import static dev.runlane.conformance.broken.BrokenAdapter.that;
import static dev.runlane.storage.memory.BrokenOperatorStores.store;

import dev.runlane.conformance.broken.BrokenAdapter;
import dev.runlane.conformance.kit.Given;
import dev.runlane.operator.ForwardingOperatorStore;
import dev.runlane.operator.tag.FindTags;
import dev.runlane.operator.tag.ListTaggedRuns;
import dev.runlane.operator.tag.TaggedRun;
import dev.runlane.run.RunEvent;
import dev.runlane.storage.ForwardingStorageAdapter;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Storages that keep the tags of runs wrongly. */
final class BrokenTags {
  static final List<BrokenAdapter<StorageAdapter>> ALL = List.of(
      that(
          "keeps no tags",
          creating(command -> withTags(command, Map.of())),
          "Tags.the_tags_of_a_run_are_found_and_stand_in_its_history",
          "Tags.many_runs_that_are_created_at_once_have_each_its_own_tags"),
      that(
          "keeps no tags of runs that have keys or a lease",
          creating(command -> command.projectedRun().keys().idempotencyKey() != null
                  || command.projectedRun().lease() != null
              ? withTags(command, Map.of())
              : command),
          "Tags.runs_with_keys_and_with_a_first_lease_have_their_tags_too"),
      that(
          "lists runs that have one of the tags",
          listing(query -> new ListTaggedRuns(
              query.environment(),
              query.tags().containsKey("customer")
                  ? Map.of("customer", String.valueOf(query.tags().get("customer")))
                  : query.tags(),
              query.filter(),
              query.direction(),
              query.limit(),
              query.cursor())),
          "Tags.a_run_that_has_all_of_the_tags_is_listed_whatever_it_is_doing"),
      that(
          "lists tagged runs without a filter",
          listing(query -> new ListTaggedRuns(
              query.environment(),
              query.tags(),
              RunFilter.ALL,
              query.direction(),
              query.limit(),
              query.cursor())),
          "Tags.a_filter_holds_beside_the_tags"),
      that(
          "lists tagged runs in one page",
          listing(query -> new ListTaggedRuns(
              query.environment(),
              query.tags(),
              query.filter(),
              query.direction(),
              null,
              query.cursor())),
          "Tags.tagged_runs_are_listed_in_pages_the_newest_first",
          "Tags.malformed_questions_are_refused"),
      that(
          "lists the newest tagged runs first, whatever is asked for",
          listing(query -> new ListTaggedRuns(
              query.environment(), query.tags(), query.filter(), query.limit(), query.cursor())),
          "Tags.tagged_runs_are_listed_the_oldest_first_where_that_is_asked_for"),
      that(
          "remembers tags of runs that were never created, or are gone",
          store(real -> new ForwardingOperatorStore(real) {
            private final Map<String, TaggedRun> known = new HashMap<>();

            @Override
            public Future<Page<RunSummary>> listTaggedRuns(ListTaggedRuns query) {
              return super.listTaggedRuns(query);
            }

            @Override
            public Future<List<TaggedRun>> findTags(FindTags query) {
              return super.findTags(query).map(found -> {
                List<TaggedRun> all = new ArrayList<>(found);
                query.runIds().stream()
                    .filter(runId -> found.stream().noneMatch(run -> run.runId().equals(runId)))
                    .map(runId -> known.computeIfAbsent(
                        runId, id -> new TaggedRun(id, Map.of("customer", "acme"))))
                    .forEach(all::add);
                return all;
              });
            }
          }),
          "Tags.a_creation_that_lost_to_another_leaves_no_tags",
          "Tags.tags_go_with_their_run"),
      that(
          "keeps the tags of all environments together",
          store(real -> new ForwardingOperatorStore(real) {
            @Override
            public Future<List<TaggedRun>> findTags(FindTags query) {
              return super.findTags(new FindTags(Given.ENVIRONMENT, query.runIds()));
            }
          }),
          "Tags.environments_have_their_own_tags"),
      that(
          "cuts tags that are too many",
          creating(command -> withTags(command, cut(tagsOf(command)))),
          "Tags.tags_beyond_their_limits_are_refused_and_those_at_them_are_not"));

  private BrokenTags() {}

  private static UnaryOperator<StorageAdapter> listing(UnaryOperator<ListTaggedRuns> misread) {
    return store(real -> new ForwardingOperatorStore(real) {
      @Override
      public Future<Page<RunSummary>> listTaggedRuns(ListTaggedRuns query) {
        return super.listTaggedRuns(misread.apply(query));
      }
    });
  }

  private static UnaryOperator<StorageAdapter> creating(UnaryOperator<AppendRunEvents> misread) {
    return real -> new ForwardingStorageAdapter(real) {
      @Override
      public Future<AppendedRun> appendRunEvents(AppendRunEvents command) {
        return super.appendRunEvents(misread.apply(command));
      }
    };
  }

  private static Map<String, String> tagsOf(AppendRunEvents command) {
    return command.events().get(0) instanceof RunEvent.Created created ? created.tags() : Map.of();
  }

  private static Map<String, String> cut(Map<String, String> tags) {
    Map<String, String> few = new HashMap<>();
    tags.entrySet().stream()
        .filter(tag -> !tag.getKey().isEmpty())
        .limit(16)
        .forEach(tag -> few.put(tag.getKey(), tag.getValue()));
    return few;
  }

  private static AppendRunEvents withTags(AppendRunEvents command, Map<String, String> tags) {
    if (!(command.events().get(0) instanceof RunEvent.Created created)) {
      return command;
    }
    List<RunEvent> events = new ArrayList<>(command.events());
    events.set(0, created.withTags(tags));
    return new AppendRunEvents(
        command.environment(),
        command.runId(),
        command.expectedSequence(),
        events,
        command.projectedRun(),
        command.queuePolicy(),
        command.now(),
        command.claimOutboxFor());
  }
}
