/**
 * Mounts of exports in the file system of this host, which every program sees: {@link io.verbena.fuse.FuseMounts} is an
 * OSGi service. The package uses {@code io.verbena.nfs}. Each type documents the threads that call its methods.
 */
@Export(substitution = Export.Substitution.NOIMPORT) // the package contains code, so this bundle uses its own
@Version("1.0.0")
package io.verbena.fuse;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
