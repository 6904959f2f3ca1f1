package io.leasehold.tck.net;

import java.time.Duration;

/** Which fault the proxy's connections suffer now. Connections wait here while it stalls. */
final class Faults {

  /** What happens to the bytes of a connection. */
  enum Mode {
    FORWARDING,
    STALLED,
    SWALLOWING,
    CUTTING
  }

  private Mode mode = Mode.FORWARDING;
  private Duration delay = Duration.ZERO;

  synchronized void mode(Mode wanted) {
    mode = wanted;
    notifyAll();
  }

  synchronized void delay(Duration each) {
    delay = each;
  }

  synchronized void clear() {
    delay = Duration.ZERO;
    mode(Mode.FORWARDING);
  }

  synchronized Duration delay() {
    return delay;
  }

  /** The mode for the next bytes, as soon as it is another than stalled. */
  synchronized Mode awaitMovement() throws InterruptedException {
    while (mode == Mode.STALLED) {
      wait();
    }
    return mode;
  }
}
