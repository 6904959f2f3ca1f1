/** Tests of store URLs. */
@NullMarked
package io.leasehold.spi;

import org.jspecify.annotations.NullMarked;
