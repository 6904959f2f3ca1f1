/** What the drivers of the election and the keeper share. Not API. */
@NullMarked
package io.leasehold.internal;

import org.jspecify.annotations.NullMarked;
