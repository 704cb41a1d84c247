/**
 * A page of the web console with the figures of mounts, connections, memory and traces.
 *
 * <p>Uses the exported packages of {@code nfs}, {@code rpcrdma}, {@code memory}, {@code metrics}, {@code runtime} and
 * {@code verbs-trace}, the servlet API, and Felix's web console.
 *
 * <p>Threads of the HTTP server read the figures, for one request each. The bundle has no thread, and keeps nothing
 * between two requests.
 */
package io.verbena.webconsole.internal;
