package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.channel;
import static java.nio.channels.FileChannel.MapMode.PRIVATE;
import static java.nio.channels.FileChannel.MapMode.READ_ONLY;
import static java.nio.channels.FileChannel.MapMode.READ_WRITE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.nio.MappedByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Stream;

/** Cases of files mapped to memory. */
final class MapCases {
    private MapCases() {}

    static Stream<ContractCase> maps() {
        return Stream.of(
                channel("map", Set.of(READ), c -> shown(c.map(READ_ONLY, 0, 10))),
                channel("map a part", Set.of(READ), c -> shown(c.map(READ_ONLY, 3, 4)) + c.position()),
                channel("map nothing", Set.of(READ), c -> shown(c.map(READ_ONLY, 5, 0))),
                channel("map, then close", Set.of(READ), c -> {
                    MappedByteBuffer mapped = c.map(READ_ONLY, 0, 10);
                    c.close();
                    return shown(mapped);
                }),
                channel("write to what is mapped to read", Set.of(READ), c -> c.map(READ_ONLY, 0, 10)
                        .put(0, (byte) 'x')),
                channel("map private", Set.of(READ, WRITE), c -> {
                    MappedByteBuffer mapped = c.map(PRIVATE, 2, 5);
                    mapped.put(0, (byte) 'x');
                    return shown(mapped);
                }),
                channel("map over the end, to read", Set.of(READ), c -> c.map(READ_ONLY, 5, 6)),
                channel("map private what is open to read", Set.of(READ), c -> c.map(PRIVATE, 0, 1)),
                channel("map to write what is open to read", Set.of(READ), c -> c.map(READ_WRITE, 0, 1)),
                channel("map what is open to write", Set.of(WRITE), c -> c.map(READ_ONLY, 0, 1)),
                channel("map from before the begin", Set.of(READ), c -> c.map(READ_ONLY, -1, 1)),
                channel("map less than nothing", Set.of(READ), c -> c.map(READ_ONLY, 0, -1)),
                channel("map too much", Set.of(READ), c -> c.map(READ_ONLY, 0, 1L << 31)),
                channel("map in no mode", Set.of(READ), c -> c.map(null, 0, 1)),
                channel("map what is closed", Set.of(READ), c -> {
                    c.close();
                    return c.map(READ_ONLY, 0, 1);
                }));
    }

    private static String shown(MappedByteBuffer mapped) {
        return mapped.isReadOnly() + "," + mapped.capacity() + "," + StandardCharsets.UTF_8.decode(mapped);
    }
}
