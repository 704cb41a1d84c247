/**
 * JMH benchmarks of header and XDR codecs.
 *
 * <p>Uses {@code rpcrdma}, {@code rpcrdma-v1}, {@code xdr} and JMH.
 *
 * <p>JMH's threads run them, each with state of its own.
 */
package io.verbena.benchmarks.codec;
