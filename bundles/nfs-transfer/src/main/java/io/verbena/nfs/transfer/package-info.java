/**
 * Copies trees of files between directories of this host and mounts, and between mounts. Copies are parallel, resumable
 * and verified. {@link io.verbena.nfs.transfer.CopyEngine} is an OSGi service. On a plain class path, {@link
 * java.util.ServiceLoader} finds it. The package uses {@code io.verbena.nfs}. Each type documents the threads that call
 * its methods.
 */
@Export(substitution = Export.Substitution.NOIMPORT) // the package contains code, so this bundle uses its own
@Version("1.2.0")
package io.verbena.nfs.transfer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
