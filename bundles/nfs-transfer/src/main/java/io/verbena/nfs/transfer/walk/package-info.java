/**
 * Checks that every walk through the tree of a server needs: names, loops, depth and the number of entries. The package
 * also creates failures that name their file. The package uses {@code io.verbena.nfs}. Its classes are stateless, and
 * may be called from any thread.
 */
@Export(substitution = Export.Substitution.NOIMPORT) // the package contains code, so this bundle uses its own
@Version("1.0.0")
package io.verbena.nfs.transfer.walk;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
