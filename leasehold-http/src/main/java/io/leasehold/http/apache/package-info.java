/** Counts what Apache HttpClient 5 sends. */
@NullMarked
package io.leasehold.http.apache;

import org.jspecify.annotations.NullMarked;
