package io.verbena.xdr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random messages from a fixed seed: valid messages are read back as they were written, others are refused. */
class XdrRandomTest {
    private static final long SEED = 4506;
    private static final int MAX = 100;

    /** The elements of a message. */
    private enum Element {
        INT,
        LONG,
        BOOLEAN,
        OPAQUE,
        STRING,
        DATA
    }

    @Test
    void shouldReadBackWhatWasWritten() throws XdrException {
        Random random = new Random(SEED);
        for (int i = 0; i < 20_000; i++) {
            List<Element> shape = shape(random);
            XdrWriter out = new XdrWriter(0);
            List<Object> values = write(shape, random, out);

            assertThat(read(shape, inStream(out))).isEqualTo(values);
            assertThat(read(shape, withItems(out, true, random.nextBoolean()))).isEqualTo(values);
            assertThat(read(shape, withItems(out, false, random.nextBoolean()))).isEqualTo(values);
        }
    }

    @Test
    void shouldRefuseWhatIsDamagedAndNothingWorse() {
        Random random = new Random(SEED + 1);
        int refused = 0;
        int mutants = 200_000;
        for (int i = 0; i < mutants; i++) {
            List<Element> shape = shape(random);
            XdrWriter out = new XdrWriter(0);
            write(shape, random, out);
            XdrReader in = damaged(out, random);
            try {
                read(shape, in);
            } catch (XdrException e) {
                refused++;
            } catch (RuntimeException e) {
                fail("seed " + (SEED + 1) + ", mutant " + i, e);
            }
        }
        assertThat(refused).isBetween(mutants / 10, mutants);
    }

    private static List<Element> shape(Random random) {
        List<Element> shape = new ArrayList<>();
        for (int i = random.nextInt(8); i >= 0; i--) {
            shape.add(Element.values()[random.nextInt(Element.values().length)]);
        }
        return shape;
    }

    private static List<Object> write(List<Element> shape, Random random, XdrWriter out) {
        List<Object> values = new ArrayList<>();
        for (Element element : shape) {
            byte[] octets = new byte[random.nextInt(MAX)];
            random.nextBytes(octets);
            switch (element) {
                case INT -> {
                    values.add(random.nextInt());
                    out.putInt((Integer) values.get(values.size() - 1));
                }
                case LONG -> {
                    values.add(random.nextLong());
                    out.putLong((Long) values.get(values.size() - 1));
                }
                case BOOLEAN -> {
                    values.add(random.nextBoolean());
                    out.putBoolean((Boolean) values.get(values.size() - 1));
                }
                case OPAQUE -> {
                    values.add(ByteBuffer.wrap(octets));
                    out.putOpaque(octets);
                }
                case STRING -> {
                    values.add("\u20ac".repeat(random.nextInt(10)));
                    out.putString((String) values.get(values.size() - 1));
                }
                case DATA -> {
                    values.add(ByteBuffer.wrap(octets));
                    out.putData(ByteBuffer.wrap(octets));
                }
            }
        }
        return values;
    }

    private static List<Object> read(List<Element> shape, XdrReader in) throws XdrException {
        List<Object> values = new ArrayList<>();
        for (Element element : shape) {
            values.add(
                    switch (element) {
                        case INT -> in.getInt();
                        case LONG -> in.getLong();
                        case BOOLEAN -> in.getBoolean();
                        case OPAQUE -> ByteBuffer.wrap(in.getOpaque(MAX));
                        case STRING -> in.getString(MAX);
                        case DATA -> in.getData(MAX);
                    });
        }
        in.requireEnd();
        return values;
    }

    private static XdrReader inStream(XdrWriter out) {
        return new XdrReader(ByteBuffer.wrap(out.toByteArray()));
    }

    /**
     * A reader of the stream and its items as a transport delivers them: a reduced stream, and chunks with or without
     * padding.
     */
    private static XdrReader withItems(XdrWriter out, boolean positioned, boolean padded) {
        XdrReader in = new XdrReader(stream(out));
        int before = 0;
        for (DataItem item : out.items()) {
            int length = item.data().remaining();
            byte[] placed = Arrays.copyOf(item.data().array(), padded ? XdrWriter.roundUp(length) : length);
            in.addItem(
                    new DataItem(positioned ? item.position() + before : DataItem.IN_ORDER, ByteBuffer.wrap(placed)));
            before += XdrWriter.roundUp(length);
        }
        return in;
    }

    private static ByteBuffer stream(XdrWriter out) {
        ByteBuffer stream = ByteBuffer.allocate(out.position());
        out.copyStream(0, out.position(), stream);
        return stream.flip();
    }

    private static XdrReader damaged(XdrWriter out, Random random) {
        boolean reduced = random.nextBoolean();
        ByteBuffer stream = reduced ? stream(out) : ByteBuffer.wrap(out.toByteArray());
        if (stream.hasRemaining()) {
            int at = random.nextInt(stream.limit());
            switch (random.nextInt(4)) {
                case 0 -> stream.put(at, (byte) (stream.get(at) ^ 1 << random.nextInt(8)));
                case 1 -> stream.putInt(at & ~3, random.nextInt());
                case 2 -> stream.putInt(at & ~3, 0x7fffffff - random.nextInt(4));
                default -> stream.limit(at);
            }
        }
        XdrReader in = new XdrReader(stream);
        int position = 0;
        for (DataItem item : out.items()) {
            position += 4 * random.nextInt(8);
            ByteBuffer data = item.data().duplicate();
            data.limit(random.nextInt(data.capacity() + 1));
            if (reduced) {
                int where = random.nextInt(3) == 0 ? position - 8 : item.position();
                in.addItem(new DataItem(random.nextBoolean() ? where : DataItem.IN_ORDER, data));
            }
        }
        return in;
    }
}
