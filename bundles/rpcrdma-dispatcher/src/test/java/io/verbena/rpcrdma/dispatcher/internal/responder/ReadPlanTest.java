package io.verbena.rpcrdma.dispatcher.internal.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpcrdma.MessageType;
import io.verbena.rpcrdma.ReadList;
import io.verbena.rpcrdma.TransportHeader;
import io.verbena.verbs.RdmaConnection;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** RFC 8166 section 3.4.5: the RDMA Reads of one call. */
class ReadPlanTest {
    private static final int MAX_READ = 1000;

    private record Posted(long target, int length, int handle, long offset, boolean more) {}

    private final List<Posted> posts = new ArrayList<>();
    private final ReadPlan plan = new ReadPlan();

    /** @param after called after each post, with the number of the post */
    private RdmaConnection connection(IntConsumer after) {
        return (RdmaConnection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RdmaConnection.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("postRead");
                    posts.add(new Posted(
                            (long) arguments[2],
                            (int) arguments[3],
                            (int) arguments[4],
                            (long) arguments[5],
                            ((int) arguments[6] & RdmaConnection.MORE) != 0));
                    after.accept(posts.size());
                    return null;
                });
    }

    @Test
    void shouldPostEachPieceOfEachSegment() throws Exception {
        TransportHeader header = new TransportHeader();
        header.type(MessageType.MSG).readList().add(64, 7, 2500, 100);
        header.readList().add(64, 8, 10, 0);
        assertThat(plan.make(header, 1 << 20, MAX_READ, 16)).isTrue();

        plan.post(header.readList(), connection(number -> {}), 3, null, MAX_READ);

        assertThat(posts)
                .containsExactly(
                        new Posted(0, 1000, 7, 100, true),
                        new Posted(1000, 1000, 7, 1100, true),
                        new Posted(2000, 500, 7, 2100, true),
                        new Posted(2500, 10, 8, 0, false));
    }

    /** The peer answers at once, the call is over, and its header belongs to the next message already. */
    @Test
    void shouldReadNothingOfTheListAfterTheLastPost() throws Exception {
        TransportHeader header = new TransportHeader();
        header.type(MessageType.MSG).readList().add(64, 7, 500, 100);
        assertThat(plan.make(header, 1 << 20, MAX_READ, 16)).isTrue();
        ReadList list = header.readList();

        plan.post(
                list,
                connection(number -> {
                    list.clear();
                    list.add(64, 9, 5000, 0);
                    list.add(64, 10, 5000, 0);
                }),
                3,
                null,
                MAX_READ);

        assertThat(posts).containsExactly(new Posted(0, 500, 7, 100, false));
    }
}
