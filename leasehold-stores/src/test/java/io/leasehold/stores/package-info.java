/** Tests of opening stores by URL. */
@NullMarked
package io.leasehold.stores;

import org.jspecify.annotations.NullMarked;
