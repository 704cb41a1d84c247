/**
 * A test of an RDMA provider and of the way between two machines: every verb of {@code io.verbena.verbs} over a
 * connection, with the contents compared, and then latency and bandwidth. {@link io.verbena.verbs.selftest.SelfTest} is
 * an OSGi service and works with any provider, another one at the other end included.
 */
@Export
@Version("1.0.0")
package io.verbena.verbs.selftest;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
