/**
 * How often and for how long an operation is retried: one policy, for the transport and its users.
 *
 * Uses no other package of Verbena.
 *
 * Has no thread; a series of attempts may be used by any thread.
 */
@Export
@Version("1.0.0")
package io.verbena.rpc.retry;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
