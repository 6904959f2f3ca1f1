package io.leasehold.cli;

import io.leasehold.LeaseName;
import io.leasehold.LeasePage;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.Page;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The records of a store, read page by page. */
final class Records {

  private static final int PAGE = 1_000;

  private Records() {}

  /** Hands every record with the prefix to a consumer; one may come twice. */
  static void each(LeaseStore store, String prefix, Consumer<LeaseView> consumer) {
    Page page = Page.first(PAGE);
    while (true) {
      LeasePage part = store.inspect(prefix, page);
      part.leases().forEach(consumer);
      if (part.next().isEmpty()) {
        return;
      }
      page = Page.at(part.next().get(), PAGE);
    }
  }

  /** The records with the prefix, sorted by name, each once. */
  static SortedMap<LeaseName, LeaseView> sorted(LeaseStore store, String prefix, boolean ended) {
    TreeMap<LeaseName, LeaseView> found = new TreeMap<>();
    each(
        store,
        prefix,
        view -> {
          if (ended || !view.remaining().isZero()) {
            found.put(view.name(), view);
          }
        });
    return found;
  }

  /** The record of one name, in whatever state. */
  static Optional<LeaseView> find(LeaseStore store, LeaseName name) {
    Optional<LeaseView> live = store.read(name);
    if (live.isPresent()) {
      return live;
    }
    TreeMap<LeaseName, LeaseView> found = new TreeMap<>();
    each(
        store,
        name.value(),
        view -> {
          if (view.name().equals(name)) {
            found.put(name, view);
          }
        });
    return Optional.ofNullable(found.get(name));
  }

  /** One line for people. */
  static String line(LeaseView view) {
    return switch (view.state()) {
      case LIVE ->
          String.format(
              "%s  held by %s, token %s, %s left",
              view.name(), view.owner(), view.token(), TimeSpan.show(view.remaining()));
      case LINGERING ->
          String.format(
              "%s  given back by %s, token %s, stays taken for %s",
              view.name(), view.owner(), view.token(), TimeSpan.show(view.remaining()));
      case RELEASED ->
          String.format(
              "%s  free, given back by %s, token %s, %s",
              view.name(), view.owner(), view.token(), view.expiresAt());
      case EXPIRED ->
          String.format(
              "%s  free, ran out on %s, token %s, %s",
              view.name(), view.owner(), view.token(), view.expiresAt());
    };
  }
}
