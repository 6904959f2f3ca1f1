@NullMarked
package io.leasehold.tck.net;

import org.jspecify.annotations.NullMarked;
