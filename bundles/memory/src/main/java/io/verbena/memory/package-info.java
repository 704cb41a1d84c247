/**
 * Direct memory of the process: one budget, from which every buffer is a lease.
 */
@Export
@Version("1.1.0")
package io.verbena.memory;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
