/**
 * ONC RPC version 2 (RFC 5531): messages, credentials, and the contracts between an upper layer that makes or answers
 * calls and a transport that moves them.
 */
@Export
@Version("1.4.0")
package io.verbena.rpc;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
