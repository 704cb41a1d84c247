/**
 * The figures of mounts, connections and memory as metrics, and the HTTP server that hands them out.
 *
 * <p>Uses the exported packages of {@code nfs}, {@code rpcrdma}, {@code memory}, {@code metrics} and {@code runtime},
 * and the libraries of Prometheus, which are inside the bundle.
 *
 * <p>Threads of OSGi start and stop the server. Its own few threads read the figures, for one scrape each.
 */
package io.verbena.openmetrics.internal;
