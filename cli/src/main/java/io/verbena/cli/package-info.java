/**
 * The base for bundles of shell commands: base classes of commands and completers, failures in one line, and text that
 * is safe to print and has the same format everywhere.
 */
@Export(substitution = Export.Substitution.NOIMPORT) // the package contains code, so this bundle uses its own
@Version("1.7.0")
package io.verbena.cli;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
