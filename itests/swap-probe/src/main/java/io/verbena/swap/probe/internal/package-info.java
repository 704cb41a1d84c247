/**
 * Shell commands that replace bundles under load, and check the load and what remains.
 *
 * <p>Uses OSGi's framework, the contract of mounts, and commands of the shell.
 *
 * <p>The shell's thread replaces bundles; each load has a thread of its own.
 */
package io.verbena.swap.probe.internal;
