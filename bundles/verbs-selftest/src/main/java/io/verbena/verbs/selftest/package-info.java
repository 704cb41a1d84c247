/**
 * A test of an RDMA provider and of the path between two machines: every verb of {@code io.verbena.verbs} on a
 * connection with compared contents, then latency and bandwidth. {@link io.verbena.verbs.selftest.SelfTest} is an OSGi
 * service and works with any provider; the other end may use another one.
 *
 * Uses {@code io.verbena.verbs} only.
 *
 * The caller's thread runs a test and blocks; the connections' receive threads answer.
 */
@Export
@Version("1.0.0")
package io.verbena.verbs.selftest;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
