package io.leasehold.cli;

import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseStoreException;
import io.leasehold.LeaseView;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows a name's edges as they come. */
@Command(
    name = "watch",
    header = "Watch a name change hands, until interrupted.",
    description = {
      "",
      "On a terminal, one line that is kept up to date, and one for every edge. In a pipe, or with"
          + " --json, one JSON object a line for every edge: granted, released, expired, lingering,"
          + " away, back. It looks every --every, and at once when the store signals a release; a"
          + " term that is shorter may be missed, but its token shows in the next."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  leasehold watch scheduler",
      "  leasehold watch scheduler | jq -c '{edge, owner, token}'",
      "",
      "Exit codes: ends by a signal; 2 bad usage."
    })
final class WatchCommand implements Callable<Integer> {

  @Parameters(paramLabel = "NAME", converter = Names.class, description = "The name.")
  LeaseName name = LeaseName.of("unset");

  @Option(
      names = "--every",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = TimeSpan.class,
      description = "How often to look. Default: ${DEFAULT-VALUE}.")
  Duration every = Duration.ofSeconds(1);

  @Option(names = "--json", description = "JSON also on a terminal.")
  boolean json;

  @Mixin StoreOptions store = new StoreOptions();

  private String lastEdge = "";
  private long lastToken;

  @Override
  public Integer call() throws InterruptedException {
    if (every.toMillis() < 10) {
      throw new Refusal(ExitCodes.USAGE, "--every must be at least 10ms");
    }
    Console console = Console.system();
    boolean live = console.outIsTerminal() && !json;
    Semaphore look = new Semaphore(0);
    try (LeaseStore opened = store.open();
        LeaseStore.Subscription signals = opened.subscribe(name, look::release)) {
      while (!console.out().checkError()) {
        show(console, live, opened);
        if (look.tryAcquire(every.toMillis(), TimeUnit.MILLISECONDS)) {
          look.drainPermits();
        }
      }
    }
    return ExitCodes.OK;
  }

  private void show(Console console, boolean live, LeaseStore opened) {
    try {
      Optional<LeaseView> record = Records.find(opened, name);
      if (lastEdge.equals("away")) {
        print(console, live, new Json().add("edge", "back").add("name", name.value()), "");
      }
      String edge = record.map(WatchCommand::edge).orElse("unknown");
      long token = record.map(view -> view.token().value()).orElse(0L);
      String line = record.map(Records::line).orElse(name + "  free, no record of it");
      if (!edge.equals(lastEdge) || token != lastToken) {
        Json body = record.map(Json::of).orElseGet(() -> new Json().add("name", name.value()));
        print(console, live, body.add("edge", edge), line);
      } else if (live) {
        console.out().print("\r" + line + "\u001b[K");
      }
      lastEdge = edge;
      lastToken = token;
    } catch (LeaseStoreException e) {
      if (!lastEdge.equals("away")) {
        Json body = new Json().add("edge", "away").add("name", name.value());
        print(console, live, body.add("why", Failures.line(e)), "no answer: " + Failures.line(e));
      }
      lastEdge = "away";
    }
  }

  private static String edge(LeaseView view) {
    return switch (view.state()) {
      case LIVE -> "granted";
      case LINGERING -> "lingering";
      case RELEASED -> "released";
      case EXPIRED -> "expired";
    };
  }

  private static void print(Console console, boolean live, Json body, String line) {
    String at = Instant.now().toString();
    if (!live) {
      console.out().println(body.add("at", at));
    } else if (!line.isEmpty()) {
      // The edge stays; the line under it is the one that is kept up to date.
      console.out().print("\r" + at.substring(11, 19) + "  " + line + "\u001b[K\n" + line);
    }
    console.out().flush();
  }
}
