package io.leasehold.spi;

import io.leasehold.LeaseStore;
import java.util.List;
import java.util.Set;

/**
 * Opens the stores of one technology by their URLs. A store's module names its provider in {@code
 * META-INF/services}, so that whoever opens stores by URL need not know it.
 *
 * <p>Stateless and thread-safe.
 */
public interface LeaseStoreProvider {

  /**
   * The URL schemes this provider opens.
   *
   * @return schemes in lower case, without the colon, such as {@code postgresql}
   */
  Set<String> schemes();

  /**
   * Opens a store that owns all that is opened for it: closing the store closes its pool or client.
   *
   * @param url where the store is, with its password if it needs one
   * @return the store
   * @throws IllegalArgumentException if the URL cannot be meant so; one line says what is right,
   *     and shows no password
   * @throws IllegalStateException if the store cannot hold leases as it is set up
   * @throws io.leasehold.LeaseStoreException if the store must answer to be opened, and did not
   */
  LeaseStore open(StoreUrl url);

  /**
   * Looks at a store and says what it will and will not hold to. Changes nothing, and throws
   * nothing for what it finds: a store that does not answer is a finding.
   *
   * @param url where the store is
   * @return the findings, in the order in which they are read; at least one
   * @throws IllegalArgumentException if the URL cannot be meant so
   */
  List<Finding> examine(StoreUrl url);
}
