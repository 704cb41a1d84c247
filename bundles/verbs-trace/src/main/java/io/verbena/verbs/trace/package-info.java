/**
 * The trace of RDMA connections: {@link io.verbena.verbs.trace.WireTrace} is an OSGi service and works with any
 * provider.
 *
 * Uses {@code io.verbena.verbs} only.
 *
 * Any thread may start and stop a trace; a thread of the trace writes the file.
 */
@Export
@Version("1.1.0")
package io.verbena.verbs.trace;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
