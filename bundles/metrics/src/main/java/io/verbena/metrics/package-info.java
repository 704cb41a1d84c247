/** Distributions of durations: recorded without locks on hot paths, and kept as plain data by whoever asks for them. */
@Export
@Version("1.0.0")
package io.verbena.metrics;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
