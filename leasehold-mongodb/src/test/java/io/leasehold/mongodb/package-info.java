/** Tests of the MongoDB store, on a server that speaks its protocol. */
@NullMarked
package io.leasehold.mongodb;

import org.jspecify.annotations.NullMarked;
