/**
 * The memory store: leases for the threads of one process, and for tests with a clock of their own.
 */
@NullMarked
package io.leasehold.memory;

import org.jspecify.annotations.NullMarked;
