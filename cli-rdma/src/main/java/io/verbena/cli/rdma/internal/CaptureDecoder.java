package io.verbena.cli.rdma.internal;

import io.verbena.cli.Text;
import io.verbena.rpcrdma.HeaderException;
import io.verbena.verbs.trace.capture.CaptureHandler;
import io.verbena.verbs.trace.capture.CapturedConnection;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import javax.json.JsonObjectBuilder;

/** Prints the headers in a capture, one JSON object in each line, and collects the problems of the capture. */
final class CaptureDecoder implements CaptureHandler {
    private final HeaderDecoder decoder;
    private final PrintStream out;
    private long messages;
    private long problems;
    private String firstProblem;

    CaptureDecoder(HeaderDecoder decoder, PrintStream out) {
        this.decoder = decoder;
        this.out = out;
    }

    @Override
    public void onSend(
            CapturedConnection connection, ByteBuffer message, Integer invalidated, long packet, Instant time) {
        if (Thread.interrupted()) {
            throw new UncheckedIOException(new InterruptedIOException("interrupted"));
        }
        messages++;
        JsonObjectBuilder object;
        try {
            object = decoder.decode(message.slice());
        } catch (HeaderException e) {
            onProblem("packet " + packet + ": " + e.getMessage());
            return;
        }
        object.add("frame", packet).add("time", time.toString());
        object.add("source", CapturedConnection.text(connection.source()));
        object.add("destination", CapturedConnection.text(connection.destination()));
        if (invalidated == null) {
            object.addNull("invalidates");
        } else {
            object.add("invalidates", HeaderJson.handle(invalidated));
        }
        out.println(object.build());
    }

    @Override
    public void onProblem(String problem) {
        problems++;
        if (firstProblem == null) {
            firstProblem = Text.printable(problem);
        }
    }

    long messages() {
        return messages;
    }

    long problems() {
        return problems;
    }

    /** Returns the first problem in one line, or null. */
    String firstProblem() {
        return firstProblem;
    }
}
