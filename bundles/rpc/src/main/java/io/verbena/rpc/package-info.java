/**
 * ONC RPC version 2 (RFC 5531): messages, credentials, and the contracts between an upper layer that makes or answers
 * calls and a transport that moves them.
 *
 * Uses {@code io.verbena.xdr} for messages and {@code io.verbena.memory} for direct memory.
 *
 * A connection's receive thread completes calls and delivers requests; callers may use any thread.
 */
@Export
@Version("3.2.0")
package io.verbena.rpc;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
