/** A journal in memory, for tests and for runs that may be lost. */
@NullMarked
package io.leasehold.journal.memory;

import org.jspecify.annotations.NullMarked;
