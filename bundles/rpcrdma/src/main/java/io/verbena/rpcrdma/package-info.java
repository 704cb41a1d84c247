/**
 * RPC-over-RDMA (RFC 8166) as contracts: a header and chunk lists that hold for every version, the framing of one
 * version as a service, and what two ends settle when they connect (RFC 8797).
 */
@Export
@Version("1.3.0")
package io.verbena.rpcrdma;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
