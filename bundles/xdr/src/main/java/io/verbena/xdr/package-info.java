/**
 * XDR (RFC 4506): a reader with bounds and a writer that grows. Bulk data items may stay in buffers of their own.
 *
 * Uses {@code io.verbena.text} for strings that are any octets.
 *
 * The objects have no thread of their own and no lock; one thread at a time uses each of them.
 */
@Export
@Version("1.5.0")
package io.verbena.xdr;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
