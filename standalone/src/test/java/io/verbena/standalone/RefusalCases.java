package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.channel;
import static io.verbena.standalone.ContractCase.example;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.stream.Stream;

/** Cases of operations that must be refused. */
final class RefusalCases {
    private RefusalCases() {}

    static Stream<ContractCase> refusals() {
        return Stream.concat(transfers(), Stream.concat(nothing(), buffers()));
    }

    private interface Both {
        Object on(FileChannel from, FileChannel to) throws IOException;
    }

    /**
     * Returns a case that transfers from a file opened for writing to a file opened for reading. Both files are empty.
     */
    private static ContractCase wrongWay(String name, Both work) {
        return example(name, d -> {
            Files.createFile(d.resolve("r"));
            try (FileChannel toRead = FileChannel.open(d.resolve("r"), READ);
                    FileChannel toWrite = FileChannel.open(d.resolve("w"), WRITE, CREATE)) {
                return work.on(toWrite, toRead);
            }
        });
    }

    private static Stream<ContractCase> transfers() {
        return Stream.of(
                wrongWay("transfer nothing to what is open to read", (w, r) -> r.transferTo(0, 0, r)),
                wrongWay("transfer to what is open to read", (w, r) -> r.transferTo(0, 10, r)),
                wrongWay("transfer from what is open to write", (w, r) -> w.transferFrom(w, 0, 10)),
                wrongWay("transfer nothing from what is open to write", (w, r) -> w.transferFrom(w, 0, 0)),
                wrongWay("transfer out of what is open to write", (w, r) -> w.transferTo(0, 10, w)),
                wrongWay("transfer into what is open to read", (w, r) -> r.transferFrom(r, 0, 10)),
                wrongWay("transfer less than nothing", (w, r) -> r.transferTo(0, -1, w)),
                wrongWay("transfer from before the begin", (w, r) -> r.transferTo(-1, 1, w)),
                wrongWay("transfer to nobody", (w, r) -> r.transferTo(0, 1, null)),
                wrongWay("transfer from nobody", (w, r) -> w.transferFrom(null, 0, 1)));
    }

    private static Stream<ContractCase> nothing() {
        return Stream.of(
                example("starts with null", d -> d.startsWith((Path) null)),
                example("ends with null", d -> d.endsWith((Path) null)),
                example("compare to null", d -> d.compareTo(null)),
                example("resolve null", d -> d.resolve((Path) null)),
                example("relativize null", d -> d.relativize(null)),
                example("same as null", d -> Files.isSameFile(d, null)),
                example("no view", d -> Files.getFileAttributeView(d, null)),
                example("no attributes", d -> Files.readAttributes(d, (Class<BasicFileAttributes>) null)),
                example("no names of attributes", d -> Files.readAttributes(d, (String) null)),
                example("set no attribute", d -> Files.setAttribute(d, null, 1L)),
                example("no kind of view", d -> Files.getFileStore(d).supportsFileAttributeView((String) null)),
                example("no view of a store", d -> Files.getFileStore(d).getFileStoreAttributeView(null)),
                example("no filter", d -> {
                    DirectoryStream.Filter<? super Path> filter = null;
                    try (DirectoryStream<Path> entries = Files.newDirectoryStream(d, filter)) {
                        return entries.iterator().hasNext();
                    }
                }),
                example("no pattern", d -> d.getFileSystem().getPathMatcher(null)),
                example(
                        "no user",
                        d -> d.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(null)),
                example("no owner", d -> Files.setOwner(d, null)),
                example("no permissions", d -> Files.setPosixFilePermissions(d, null)),
                example("no target", d -> Files.copy(d, (Path) null)),
                example("no link's target", d -> Files.createSymbolicLink(d.resolve("l"), null)));
    }

    private static Stream<ContractCase> buffers() {
        ByteBuffer readOnly = ByteBuffer.allocate(1).asReadOnlyBuffer();
        return Stream.of(
                channel("read to nowhere", Set.of(READ), c -> c.read((ByteBuffer) null)),
                channel("read to nowhere, at", Set.of(READ), c -> c.read(null, 0)),
                channel("write from nowhere", Set.of(WRITE), c -> c.write((ByteBuffer) null)),
                channel("write from nowhere, at", Set.of(WRITE), c -> c.write(null, 0)),
                channel("read to what is read-only", Set.of(READ), c -> c.read(readOnly)),
                channel("read to what is read-only, at", Set.of(READ), c -> c.read(readOnly, 0)),
                channel("scatter to what is read-only", Set.of(READ), c -> c.read(new ByteBuffer[] {readOnly})));
    }
}
