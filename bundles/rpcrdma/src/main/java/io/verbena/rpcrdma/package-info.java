/**
 * RPC-over-RDMA (RFC 8166) as contracts: a header and chunk lists for every version, the framing of one version as a
 * service, and the settings that two ends exchange when they connect (RFC 8797).
 *
 * Uses {@code io.verbena.metrics} for distributions, neither verbs nor I/O.
 *
 * Codecs run on the thread of their caller; a connection's receive thread calls optional operations.
 */
@Export
@Version("1.3.0")
package io.verbena.rpcrdma;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
