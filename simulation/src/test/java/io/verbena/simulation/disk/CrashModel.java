package io.verbena.simulation.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.dirfd.FileReference;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a loss of power may leave, in terms of what programs have seen: a tree that there was, no older than what was
 * synced, and files each of whose pages was there since the file was forced.
 */
final class CrashModel {
    private static final int PAGE = 4096;

    private final SimulatedDisk disk;
    private final List<List<String>> trees = new ArrayList<>();
    private final Map<Long, Integer> touched = new HashMap<>();
    private final Map<Long, List<State>> files = new HashMap<>();
    private int guaranteed;

    /** The content of a file, as programs have seen it. */
    private static final class State {
        private final byte[] content;

        /** The size of the truncation that has led to it, or the largest number. */
        private final long cut;

        State(byte[] content, long cut) {
            this.content = content;
            this.cut = cut;
        }

        int octet(int at) {
            return at < content.length ? content[at] : 0;
        }
    }

    CrashModel(SimulatedDisk disk) {
        this.disk = disk;
    }

    /** Begins anew with what is there. */
    void begin() throws IOException {
        trees.clear();
        touched.clear();
        files.clear();
        guaranteed = 0;
        trees.add(tree());
        for (DiskEntry entry : disk.view().list()) {
            if (entry.status().isRegular()) {
                List<State> states = new ArrayList<>();
                states.add(new State(disk.view().read(entry.path()), Long.MAX_VALUE));
                files.put(entry.status().ino(), states);
            }
        }
    }

    private List<String> tree() {
        List<String> all = new ArrayList<>();
        for (DiskEntry entry : disk.view().list()) {
            var status = entry.status();
            all.add(entry.path() + ' ' + status.ino() + ' ' + status.mode() + ' ' + status.linkCount());
        }
        return all;
    }

    /** Called behind each step, whether it has changed anything or not. */
    void stepped() {
        trees.add(tree());
    }

    /** A step has changed objects; the number of its tree is that of {@link #stepped} behind it. */
    void touched(FileReference... objects) throws IOException {
        for (FileReference each : objects) {
            touched.put(each.status().ino(), trees.size());
            if (each.status().isRegular()) {
                files.computeIfAbsent(each.status().ino(), ino -> new ArrayList<>(List.of(new State(new byte[0], 0))));
            }
        }
    }

    void changed(FileReference file, long cut) throws IOException {
        touched(file);
        byte[] content = DiskFixture.name(DiskFixture.read(file));
        files.get(file.status().ino()).add(new State(content, cut));
    }

    /**
     * What a sync or a force guarantees that begins now.
     *
     * @param tree the first tree that may be left
     * @param states the first state of each file that may be left, by the number of the file
     */
    record Promise(int tree, Map<Long, State> states) {}

    Promise sync(FileReference object) throws IOException {
        return new Promise(touched.getOrDefault(object.status().ino(), 0), Map.of());
    }

    Promise force(FileReference file) throws IOException {
        long number = file.status().ino();
        return new Promise(touched.getOrDefault(number, 0), Map.of(number, last(number)));
    }

    Promise forceAll() {
        Map<Long, State> states = new HashMap<>();
        files.keySet().forEach(number -> states.put(number, last(number)));
        return new Promise(trees.size() - 1, states);
    }

    private State last(long number) {
        List<State> states = files.get(number);
        return states.get(states.size() - 1);
    }

    /** Called when a sync or a force has succeeded. */
    void kept(Promise promise) {
        guaranteed = Math.max(guaranteed, promise.tree);
        promise.states.forEach((number, state) -> {
            List<State> states = files.get(number);
            states.subList(0, Math.max(0, states.indexOf(state))).clear();
        });
    }

    /** Judges what there is after a loss of power. */
    void judge() throws IOException {
        assertThat(trees.subList(guaranteed, trees.size())).contains(tree());
        assertThat(disk.stableView().hash()).isEqualTo(disk.view().hash());
        assertThat(disk.isAllStable()).isTrue();
        for (DiskEntry entry : disk.view().list()) {
            if (entry.status().isRegular()) {
                judge(disk.view().read(entry.path()), files.get(entry.status().ino()));
            }
        }
    }

    private static void judge(byte[] content, List<State> states) {
        int least =
                states.stream().mapToInt(state -> state.content.length).min().orElseThrow();
        int most = states.stream().mapToInt(state -> state.content.length).max().orElseThrow();
        assertThat(content.length).isBetween(least, most);
        for (int from = 0; from < content.length; from += PAGE) {
            int to = Math.min(from + PAGE, content.length);
            boolean isKnown = false;
            for (int state = 0; state < states.size() && !isKnown; state++) {
                isKnown = isPage(content, from, to, states, state);
            }
            assertThat(isKnown).as("page at %d", from).isTrue();
        }
    }

    /** Whether a page is that of a state, as it is or as later truncations have left it. */
    private static boolean isPage(byte[] content, int from, int to, List<State> states, int index) {
        long cut = Long.MAX_VALUE;
        for (State later : states.subList(index + 1, states.size())) {
            cut = Math.min(cut, later.cut);
        }
        for (int at = from; at < to; at++) {
            boolean isCut = content[at] == 0 && at >= cut;
            if (!isCut && content[at] != states.get(index).octet(at)) {
                return false;
            }
        }
        return true;
    }
}
