package io.leasehold.redis;

import java.util.List;

/** Which server has which key. Two kinds: one server that has them all, or a cluster. */
interface Servers {

  /** The way to the server that has this key; never blocks for longer than the deadline. */
  Wire having(String key, Deadline deadline) throws InterruptedException;

  /** The way to the server at the address that a redirection named. */
  Wire at(String host, int port);

  /** The ids of all servers that have keys of their own, in a stable order. */
  List<String> ids(Deadline deadline) throws InterruptedException;

  /** The way to a server by its id. */
  Wire of(String id);

  /** Where a server is, for people; nothing of it is secret. */
  String address(String id);

  /** Something is not as it was: the picture of who has what should be drawn anew. */
  void suspect();

  /** Closes every line. Does not wait. */
  void close();
}
