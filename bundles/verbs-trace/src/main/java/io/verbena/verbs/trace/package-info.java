/**
 * The trace of what RDMA connections carry: {@link io.verbena.verbs.trace.WireTrace} is an OSGi service and works with
 * any provider.
 */
@Export
@Version("1.0.0")
package io.verbena.verbs.trace;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
