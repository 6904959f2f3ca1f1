package io.leasehold.cli;

import io.leasehold.LeaseName;
import io.leasehold.LeaseStore;
import io.leasehold.LeaseView;
import io.leasehold.ReleaseAnswer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes a name from its holder. */
@Command(
    name = "release",
    header = "Take a name from its holder.",
    description = {
      "",
      "The holder learns of it when it next renews, and stops. Until then, and until its lease would"
          + " have run out, the name stays taken, so that no successor starts beside it. With --now"
          + " it is free at once: only for a holder that is known to be dead."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  leasehold release scheduler --force",
      "  leasehold release scheduler --force --now    # its host has burnt down",
      "",
      "Exit codes: 0, 1 nobody holds it, 2 bad usage, 69 no answer from the store."
    })
final class ReleaseCommand implements Callable<Integer> {

  @Parameters(paramLabel = "NAME", converter = Names.class, description = "The name.")
  LeaseName name = LeaseName.of("unset");

  @Option(names = "--force", description = "Yes, take it from its holder.")
  boolean force;

  @Option(names = "--now", description = "Free it at once; its holder must be dead.")
  boolean now;

  @Mixin StoreOptions store = new StoreOptions();

  @Override
  public Integer call() {
    if (!force) {
      throw new Refusal(
          ExitCodes.USAGE,
          "release takes "
              + name
              + " from whoever holds it; say --force if that is meant (a holder gives its lease back"
              + " by itself)");
    }
    Console console = Console.system();
    try (LeaseStore opened = store.open()) {
      Optional<LeaseView> live = opened.read(name);
      if (live.isEmpty()) {
        return nobody(console, Records.find(opened, name));
      }
      LeaseView view = live.get();
      ReleaseAnswer answer = opened.release(view.asLease(), now ? Duration.ZERO : lingerOf(view));
      if (answer != ReleaseAnswer.RELEASED) {
        throw new Refusal(
            ExitCodes.NO, "token " + view.token() + " of " + name + " ended meanwhile; look again");
      }
      console.out().println(told(view, Records.find(opened, name)));
      return ExitCodes.OK;
    }
  }

  /**
   * The linger, counted from the grant, that keeps the name taken until the holder has stopped. A
   * holder's hold is over before the expiry it was told last. If it renews between our reading and
   * our release, that expiry is later by at most a third of the TTL, for it renews every third.
   */
  static Duration lingerOf(LeaseView view) {
    Duration ttl = Duration.between(view.renewedAt(), view.expiresAt());
    return Duration.between(view.grantedAt(), view.expiresAt()).plus(ttl.dividedBy(3));
  }

  private String told(LeaseView before, Optional<LeaseView> after) {
    String taken = "took " + name + " from " + before.owner() + ", token " + before.token() + "; ";
    Optional<LeaseView> lingers = after.filter(view -> view.state() == LeaseView.State.LINGERING);
    return taken
        + lingers
            .map(
                view ->
                    "free in "
                        + TimeSpan.show(view.remaining())
                        + ", at "
                        + view.expiresAt()
                        + ", when its holder has stopped")
            .orElse("free now");
  }

  private int nobody(Console console, Optional<LeaseView> record) {
    console.say(
        record
            .map(view -> "nobody holds it: " + Records.line(view))
            .orElse("nobody holds " + name));
    return ExitCodes.NO;
  }
}
