/**
 * RDMA verbs as contracts: reliable connections with Send/Receive, RDMA Write and RDMA Read, and registered memory. A
 * provider is an OSGi service.
 *
 * Uses no other package of Verbena.
 *
 * Any thread may post and register; a connection's receive thread delivers completions.
 */
@Export
@Version("1.7.0")
package io.verbena.verbs;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
