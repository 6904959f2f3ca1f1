/** Real servers on free ports of the loopback interface, which end with the tests' JVM. */
@NullMarked
package io.leasehold.journal.servers;

import org.jspecify.annotations.NullMarked;
