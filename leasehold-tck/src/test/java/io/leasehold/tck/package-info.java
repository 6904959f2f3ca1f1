@NullMarked
package io.leasehold.tck;

import org.jspecify.annotations.NullMarked;
