package io.leasehold.tck.net;

/** How the proxy starts its threads: daemons, with a name that says whose they are. */
final class ProxyThreads {

  private ProxyThreads() {}

  static Thread start(String role, Runnable work) {
    Thread thread = new Thread(work, "leasehold-tck-proxy-" + role);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
