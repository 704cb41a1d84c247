/**
 * RDMA verbs as contracts: connections of the reliable, connected kind with Send/Receive, RDMA Write and RDMA Read,
 * and registered memory. A provider is an OSGi service.
 */
@Export
@Version("1.3.0")
package io.verbena.verbs;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
