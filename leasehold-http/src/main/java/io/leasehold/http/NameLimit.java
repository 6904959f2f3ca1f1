package io.leasehold.http;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets a limited number of different names through, first come, first served; any later one becomes
 * the name of the rest. Keeps a meter's memory bounded whatever hosts it is sent to.
 */
final class NameLimit {

  private final int limit;
  private final String rest;
  private final Set<String> admitted = ConcurrentHashMap.newKeySet();
  private final AtomicInteger places = new AtomicInteger();

  NameLimit(int limit, String rest) {
    this.limit = limit;
    this.rest = rest;
  }

  String admit(String name) {
    if (admitted.contains(name)) {
      return name;
    }
    if (places.get() >= limit || places.getAndIncrement() >= limit) {
      return admitted.contains(name) ? name : rest;
    }
    // Two threads may each have taken a place for one new name: the second gives its own back.
    if (!admitted.add(name)) {
      places.decrementAndGet();
    }
    return name;
  }
}
