/**
 * A command that cannot outlive its lease: the processes of one session, and the guard outside this
 * JVM that kills them at the last deadline it was given.
 */
@NullMarked
package io.leasehold.cli.guard;

import org.jspecify.annotations.NullMarked;
