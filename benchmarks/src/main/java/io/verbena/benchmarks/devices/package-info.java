/**
 * The figures of the self-test on RDMA devices, printed for a script.
 *
 * <p>Uses {@code verbs-selftest} and loads a provider by its class name.
 *
 * <p>The main thread runs it; the process ends with it.
 */
package io.verbena.benchmarks.devices;
