package io.leasehold.mergegate;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.mergegate.BillOfHours.Result;
import io.leasehold.mergegate.BillOfHours.Scenario;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The whole service, three and ten replicas of it, over real HTTP. */
class MergeGateTest {

  @Test
  void theDemonstrationShowsWhatItPromises() throws Exception {
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    boolean asPromised = new Demo(new PrintStream(shown, true, StandardCharsets.UTF_8)).run();
    assertThat(asPromised).as(shown.toString(StandardCharsets.UTF_8)).isTrue();
  }

  /** A short hour: 20 passes, 15 open runs, 3 deaths. The bars are those of the full comparison. */
  @Test
  void tenElectedReplicasCostWhatOneCostsAndEtagsNearlyNothing() throws Exception {
    BillOfHours hour = new BillOfHours(20, 15, 1, 100_000);
    Result one = hour.play(new Scenario("one", 1, true, false));
    Result ten = hour.play(new Scenario("ten", 10, true, false));
    Result cheap = hour.play(new Scenario("ten, ETags", 10, true, true));

    assertThat((double) ten.sent() / one.sent()).isLessThanOrEqualTo(1.05);
    assertThat((double) cheap.charged() / ten.charged()).isLessThanOrEqualTo(0.1);
    assertThat(one.verdictsLost() + ten.verdictsLost() + cheap.verdictsLost()).isZero();
  }
}
