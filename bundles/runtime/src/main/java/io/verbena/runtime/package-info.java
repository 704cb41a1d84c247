/**
 * The source of time, threads, timers and random numbers, and the place where threads wait.
 *
 * <p>Uses the JDK alone; every bundle that waits or keeps time may use the package. The threads of the callers run the
 * code.
 */
@Export
@Version("1.2.0")
package io.verbena.runtime;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
