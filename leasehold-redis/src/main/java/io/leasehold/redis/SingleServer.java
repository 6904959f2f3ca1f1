package io.leasehold.redis;

import java.util.List;

/**
 * One server with all keys: standalone, or the one that Sentinel names at each opening of a line.
 */
final class SingleServer implements Servers {

  private final Wire wire;
  private final String address;

  SingleServer(Wire wire, String address) {
    this.wire = wire;
    this.address = address;
  }

  @Override
  public Wire having(String key, Deadline deadline) {
    return wire;
  }

  @Override
  public Wire at(String host, int port) {
    throw new UnreachableException(
        "the server is a node of a Redis Cluster; open the store with the cluster's builder", null);
  }

  @Override
  public List<String> ids(Deadline deadline) {
    return List.of("0");
  }

  @Override
  public Wire of(String id) {
    return wire;
  }

  @Override
  public String address(String id) {
    return address;
  }

  @Override
  public void suspect() {}

  @Override
  public void close() {
    wire.close();
  }
}
