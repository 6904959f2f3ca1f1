/** Counts what OkHttp 5 sends. */
@NullMarked
package io.leasehold.http.okhttp;

import org.jspecify.annotations.NullMarked;
