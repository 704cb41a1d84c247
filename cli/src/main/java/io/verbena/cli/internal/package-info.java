/**
 * The common parts of the commands: mounts, paths, exports, configurations, and formats of sizes and modes.
 *
 * <p>Uses {@code io.verbena.cli} and the exported packages of the bundles. Runs on the thread of the session that runs
 * the command.
 */
package io.verbena.cli.internal;
