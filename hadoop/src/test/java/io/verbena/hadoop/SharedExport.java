package io.verbena.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Two exports for all tests of the JVM, which end after the last one. Hadoop's tests clear the root of theirs and are
 * one user on it.
 */
final class SharedExport implements BeforeAllCallback {
    private static volatile Exports exports;

    @Override
    public void beforeAll(ExtensionContext context) {
        ExtensionContext.Store store =
                context.getRoot().getStore(ExtensionContext.Namespace.create(SharedExport.class));
        exports = store.getOrComputeIfAbsent(Exports.class, key -> Exports.begin(), Exports.class);
    }

    /** The export of the tests of hadoop-common; a {@link GivenExport} where there is one. */
    static Export export() {
        return exports.ofHadoop;
    }

    /** The export of the tests of this module. */
    static TestExport own() {
        return exports.own;
    }

    private record Exports(Export ofHadoop, TestExport own) implements AutoCloseable {
        static Exports begin() {
            try {
                String given = System.getProperty(GivenExport.PROPERTY);
                Export ofHadoop = given == null ? new TestExport() : new GivenExport(URI.create(given));
                return new Exports(ofHadoop, new TestExport());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            FileSystem.closeAll();
            ExportContract.forget();
            try {
                own.close();
            } finally {
                ofHadoop.close();
            }
        }
    }
}
