/** Mounts as file systems of java.nio: {@code nfs+rdma://server:port/export?options}. */
@Export
@Version("1.1.0")
package io.verbena.nfs.nio;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
