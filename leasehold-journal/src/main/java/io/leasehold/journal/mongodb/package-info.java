/** Fenced writes to MongoDB, over the sync driver, which the user brings. */
@NullMarked
package io.leasehold.journal.mongodb;

import org.jspecify.annotations.NullMarked;
