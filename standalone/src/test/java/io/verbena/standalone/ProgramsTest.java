package io.verbena.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs.nio.NfsFileSystems;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.LockObtainFailedException;
import org.apache.lucene.store.NIOFSDirectory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests programs that use the file system with one dependency and a URI. */
@Timeout(60)
class ProgramsTest {
    @TempDir
    private Path exported;

    @TempDir
    private Path state;

    private Set<String> threadsBefore;
    private Server server;

    @BeforeEach
    void serve() throws IOException {
        threadsBefore = threads();
        server = new Server(exported, state);
    }

    @AfterEach
    void shouldLeaveNoThread() throws IOException {
        server.close();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!threadsBefore.containsAll(threads()) && System.nanoTime() < deadline) {
            Thread.onSpinWait(); // the threads were told to end
        }
        assertThat(threads()).as("threads that outlive all").isSubsetOf(threadsBefore);
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("verbena"))
                .collect(Collectors.toSet());
    }

    private FileSystem mount(String pathAndQuery) throws IOException {
        return FileSystems.newFileSystem(server.uri(pathAndQuery), Map.of("watchMillis", 20));
    }

    @Test
    void shouldCarryALuceneIndex() throws IOException {
        try (FileSystem files = mount("/?rsize=262144&wsize=262144");
                NIOFSDirectory directory = new NIOFSDirectory(files.getPath("/index"))) {
            try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
                for (int i = 0; i < 300; i++) {
                    Document document = new Document();
                    document.add(new StringField("id", "d" + i, Field.Store.YES));
                    document.add(new TextField("text", "word" + i % 10 + " verbena", Field.Store.NO));
                    document.add(new NumericDocValuesField("number", i));
                    writer.addDocument(document);
                    if (i % 50 == 0) {
                        writer.commit();
                    }
                }
                assertThatThrownBy(() -> new IndexWriter(directory, new IndexWriterConfig()).close())
                        .isInstanceOf(LockObtainFailedException.class);
            }
            try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig());
                    DirectoryReader before = DirectoryReader.open(writer)) {
                writer.deleteDocuments(new Term("id", "d7"));
                writer.forceMerge(1);
                writer.commit();
                assertThat(hits(before, "word7")).isEqualTo(30);
            }
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                assertThat(reader.leaves()).hasSize(1);
                assertThat(hits(reader, "word7")).isEqualTo(29);
                assertThat(hits(reader, "verbena")).isEqualTo(299);
            }
        }
        assertThat(exported.resolve("index")).isDirectoryContaining("glob:**segments_*");
    }

    private static int hits(DirectoryReader reader, String word) throws IOException {
        return new IndexSearcher(reader).count(new TermQuery(new Term("text", word)));
    }

    @Test
    void shouldCopyWalkAndDeleteATree() throws IOException {
        byte[] content = new byte[3_000_000];
        new Random(1).nextBytes(content);
        Path source = Files.createDirectories(exported.resolve("source/a/b"));
        for (int i = 0; i < 60; i++) {
            Files.writeString(source.resolve("file" + i), "content " + i);
        }
        Files.write(source.resolve("large"), content);
        try (FileSystem files = mount("/")) {
            Path from = files.getPath("/source");
            Path to = files.getPath("/target");
            try (Stream<Path> paths = Files.walk(from)) {
                for (Path path : (Iterable<Path>) paths::iterator) {
                    Files.copy(path, to.resolve(from.relativize(path).toString()));
                }
            }
            Files.move(to, files.getPath("/moved"));
            try (Stream<Path> paths = Files.walk(files.getPath("/moved"))) {
                assertThat(paths).hasSize(64);
            }
            assertThat(exported.resolve("moved/a/b/large")).hasBinaryContent(content);
            Files.copy(files.getPath("/moved/a/b/large"), exported.resolve("local"));
            assertThat(exported.resolve("local")).hasBinaryContent(content);
            Files.walkFileTree(files.getPath("/moved"), new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes is) throws IOException {
                    Files.delete(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, IOException failed) throws IOException {
                    Files.delete(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
            assertThat(exported.resolve("moved")).doesNotExist();
        }
    }

    @Test
    void shouldWriteAndReadStreamsInSmallSteps() throws IOException {
        byte[] content = new byte[1_234_567];
        new Random(2).nextBytes(content);
        try (FileSystem files = mount("/")) {
            Path path = files.getPath("file");
            try (OutputStream out = Files.newOutputStream(path)) {
                for (int at = 0; at < content.length; at += 1000) {
                    out.write(content, at, Math.min(1000, content.length - at));
                }
            }
            try (InputStream in = Files.newInputStream(path)) {
                assertThat(in.readAllBytes()).isEqualTo(content);
            }
        }
        assertThat(exported.resolve("file")).hasBinaryContent(content);
    }

    @Test
    void shouldSendAtOnceWhatIsWrittenWhileNobodyWaits() throws Exception {
        try (FileSystem files = mount("/");
                OutputStream log = Files.newOutputStream(files.getPath("log"))) {
            log.write("line\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (Files.size(exported.resolve("log")) < 5 && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
            assertThat(exported.resolve("log")).hasContent("line");
        }
    }

    @Test
    void shouldCallCompletionHandlers() throws Exception {
        try (FileSystem files = mount("/");
                AsynchronousFileChannel channel = AsynchronousFileChannel.open(
                        files.getPath("f"),
                        StandardOpenOption.WRITE,
                        StandardOpenOption.READ,
                        StandardOpenOption.CREATE)) {
            CompletableFuture<Integer> written = new CompletableFuture<>();
            channel.write(ByteBuffer.wrap(new byte[100]), 0, written, new CompletionHandler<>() {
                @Override
                public void completed(Integer count, CompletableFuture<Integer> result) {
                    try {
                        channel.force(true); // a handler may block
                        result.complete(count);
                    } catch (IOException e) {
                        result.completeExceptionally(e);
                    }
                }

                @Override
                public void failed(Throwable thrown, CompletableFuture<Integer> result) {
                    result.completeExceptionally(thrown);
                }
            });
            assertThat(written.get(20, TimeUnit.SECONDS)).isEqualTo(100);
        }
    }

    @Test
    void shouldTellWhatChangesInADirectory() throws Exception {
        Files.createFile(exported.resolve("old"));
        try (FileSystem files = mount("/");
                WatchService watch = files.newWatchService()) {
            WatchKey key = files.getPath("/")
                    .register(
                            watch,
                            StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_DELETE,
                            StandardWatchEventKinds.ENTRY_MODIFY);
            Files.createFile(exported.resolve("new"));
            Files.delete(exported.resolve("old"));
            List<String> seen = new ArrayList<>();
            while (seen.size() < 2) {
                WatchKey signalled = watch.poll(20, TimeUnit.SECONDS);
                assertThat(signalled).isSameAs(key);
                for (WatchEvent<?> event : signalled.pollEvents()) {
                    seen.add(event.kind() + " " + event.context());
                }
                assertThat(signalled.reset()).isTrue();
            }
            assertThat(seen).containsExactlyInAnyOrder("ENTRY_DELETE old", "ENTRY_CREATE new");
        }
    }

    @Test
    void shouldMountTheRootOfAServerThatIsNamedInAPathOnly() throws IOException {
        Files.writeString(exported.resolve("f"), "text");
        Path path = Path.of(server.uri("/f"));
        try (FileSystem files = path.getFileSystem()) {
            assertThat(Files.readString(path)).isEqualTo("text");
            assertThat(FileSystems.getFileSystem(server.uri("/f"))).isSameAs(files);
        }
    }

    @Test
    void shouldKnowMountsByTheirExports() throws IOException {
        Files.createDirectories(exported.resolve("a/b"));
        try (FileSystem whole = mount("/");
                FileSystem part = mount("/a")) {
            assertThat(Path.of(server.uri("/a/b"))).isEqualTo(part.getPath("/b"));
            assertThat(Path.of(server.uri("/c"))).isEqualTo(whole.getPath("/c"));
            assertThatThrownBy(() -> mount("/a")).isInstanceOf(FileSystemAlreadyExistsException.class);
            assertThat(Files.isDirectory(part.getPath("b"))).isTrue();
        }
    }

    @Test
    void shouldCloseWhatIsOpenWithTheFileSystem() throws IOException {
        FileSystem files = mount("/");
        FileChannel channel = FileChannel.open(files.getPath("f"), StandardOpenOption.WRITE, StandardOpenOption.CREATE);
        OutputStream out = Files.newOutputStream(files.getPath("g"));
        out.write(new byte[10]);
        files.close();
        assertThat(files.isOpen()).isFalse();
        assertThat(channel.isOpen()).isFalse();
        assertThat(exported.resolve("g")).hasSize(10);
        assertThatThrownBy(() -> Files.exists(files.getPath("f"))).isInstanceOf(ClosedFileSystemException.class);
    }

    @Test
    void shouldMapACopyOfWhatIsNotTooMuch() throws IOException {
        Map<String, ?> bounded = Map.of(NfsFileSystems.MAX_MAP_BYTES, 4);
        try (FileSystem files = FileSystems.newFileSystem(server.uri("/"), bounded)) {
            Path file = Files.writeString(files.getPath("/f"), "0123456789");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 2, 4);
                Files.writeString(file, "ab", StandardOpenOption.WRITE);
                assertThat(StandardCharsets.UTF_8.decode(mapped).toString()).isEqualTo("2345");
                assertThatThrownBy(() -> channel.map(FileChannel.MapMode.READ_ONLY, 0, 5))
                        .isInstanceOf(FileSystemException.class)
                        .hasMessageContaining("/f")
                        .hasMessageContaining(NfsFileSystems.MAX_MAP_BYTES);
                assertThatThrownBy(() -> channel.map(FileChannel.MapMode.READ_WRITE, 0, 1))
                        .isInstanceOf(UnsupportedOperationException.class);
                assertThatThrownBy(() -> channel.map(FileChannel.MapMode.PRIVATE, 9, 2))
                        .isInstanceOf(FileSystemException.class)
                        .hasMessageContaining("ends before");
            }
        }
        assertThatThrownBy(() -> FileSystems.newFileSystem(server.uri("/"), Map.of(NfsFileSystems.MAX_MAP_BYTES, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(NfsFileSystems.MAX_MAP_BYTES);
    }

    @Test
    void shouldSayWhatIsWrongWithAUri() {
        assertThatThrownBy(() -> mount("/?rsiz=1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("did you mean 'rsize'");
        assertThatThrownBy(() -> Path.of(URI.create("nfs+rdma:///f"))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldLeaveNothingOfAMountThatFails() {
        URI nobody = URI.create("nfs+rdma://127.0.0.1:1/?retrans=0&timeo=5&swapTimeout=1");
        assertThatThrownBy(() -> FileSystems.newFileSystem(nobody, Map.of())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> FileSystems.getFileSystem(nobody))
                .isInstanceOf(java.nio.file.FileSystemNotFoundException.class);
        assertThat(ServerUnavailableException.class).isAssignableTo(IOException.class);
    }
}
