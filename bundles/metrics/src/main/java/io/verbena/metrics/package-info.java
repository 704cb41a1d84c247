/**
 * Distributions of durations: recorded without locks on hot paths, and read as plain data.
 *
 * Uses HdrHistogram, which is inside the bundle, and no other package of Verbena.
 *
 * Has no thread; any thread may record and read.
 */
@Export
@Version("1.1.0")
package io.verbena.metrics;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
