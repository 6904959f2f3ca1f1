/** Counts what {@code java.net.http} sends. */
@NullMarked
package io.leasehold.http.jdk;

import org.jspecify.annotations.NullMarked;
