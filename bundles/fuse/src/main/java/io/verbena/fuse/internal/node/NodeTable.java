package io.verbena.fuse.internal.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.nfs.FileAttributes;
import java.io.InterruptedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The objects that the kernel knows. A number is never given twice. The kernel says how often it has looked a node up;
 * when it has forgotten all of these, the node goes, so that the kernel's memory bounds the table. Thread safe.
 */
public final class NodeTable {
    private static final int MAX_DEPTH = 4096;

    private final Node root = new Node(Protocol.ROOT_NODE, null);

    @GuardedBy("this")
    private final Map<Long, Node> byId = new HashMap<>();

    @GuardedBy("this")
    private final Map<Node.Key, Node> byKey = new HashMap<>();

    @GuardedBy("this")
    private final Map<Node.Name, Node> byName = new HashMap<>();

    /** Completes at the end of the rename that is under way; null where none is. */
    @GuardedBy("this")
    private CompletableFuture<Void> renaming;

    @GuardedBy("this")
    private long lastId = Protocol.ROOT_NODE;

    public NodeTable() {
        byId.put(root.id(), root);
    }

    public Node root() {
        return root;
    }

    /** The node of a number, or the failure ESTALE. */
    public synchronized Node get(long id) {
        Node node = byId.get(id);
        if (node == null) {
            throw new Errno.Failure(Errno.ESTALE);
        }
        return node;
    }

    /** The node of an object that was found by a name; counts as one lookup. */
    public synchronized Node found(Node directory, String name, FileAttributes attributes) {
        Node.Key key = Node.Key.of(attributes);
        Node node = byKey.get(key);
        if (node == null) {
            node = new Node(++lastId, key);
            byId.put(node.id(), node);
            byKey.put(key, node);
        }
        Node.Name place = new Node.Name(directory, name);
        if (byName.get(place) == node) {
            node.names.remove(place); // it becomes the last one: another client may have removed the others
        } else {
            forgetName(place);
            byName.put(place, node);
        }
        node.names.addLast(place);
        node.lookups++;
        node.seen(attributes);
        return node;
    }

    /** The node at a name, as far as the table knows; or null. */
    public synchronized Node at(Node directory, String name) {
        return byName.get(new Node.Name(directory, name));
    }

    /** The kernel forgets lookups of a node. */
    public synchronized void forget(long id, long lookups) {
        Node node = byId.get(id);
        if (node == null || node == root) {
            return;
        }
        node.lookups -= lookups;
        if (node.lookups <= 0) {
            byId.remove(id);
            byKey.remove(node.key(), node);
            node.names.forEach(name -> byName.remove(name, node));
            node.names.clear();
        }
    }

    /** The name is gone: a later object at that name, even with the same number, is another one. */
    public synchronized void removed(Node directory, String name) {
        forgetName(new Node.Name(directory, name));
    }

    @GuardedBy("this")
    private void forgetName(Node.Name place) {
        Node gone = byName.remove(place);
        if (gone != null) {
            gone.names.remove(place);
            if (gone.names.isEmpty()) {
                byKey.remove(gone.key(), gone); // the server may give its number to another object
            }
        }
    }

    /** A rename begins, of which there is one at a time. */
    public synchronized void renameBegins() {
        renaming = new CompletableFuture<>();
    }

    public void renameEnds() {
        CompletableFuture<Void> ended;
        synchronized (this) {
            ended = renaming;
            renaming = null;
        }
        ended.complete(null);
    }

    private synchronized CompletableFuture<Void> rename() {
        return renaming;
    }

    /** Waits for the end of the rename that is under way, if there is one. */
    public void awaitRename() throws InterruptedIOException {
        CompletableFuture<Void> rename = rename();
        if (rename == null) {
            return;
        }
        try {
            Void unused = rename.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for a rename");
            interrupted.initCause(e);
            throw interrupted;
        } catch (ExecutionException e) {
            throw new IllegalStateException("it never fails", e);
        }
    }

    /** An object has another name. */
    public synchronized void renamed(Node from, String name, Node to, String newName) {
        Node.Name place = new Node.Name(from, name);
        Node.Name newPlace = new Node.Name(to, newName);
        Node node = byName.get(place);
        if (node != null && node == byName.get(newPlace)) {
            return; // two names of one file: rename(2) does nothing
        }
        forgetName(newPlace);
        if (node != null) {
            byName.remove(place);
            node.names.remove(place);
            byName.put(newPlace, node);
            node.names.addLast(newPlace);
        }
    }

    /** The directory above one; the root is above itself, as in every file system. */
    public synchronized Node above(Node directory) {
        Node.Name name = directory.names.peekLast();
        return name == null ? directory : name.directory();
    }

    /** A path of the node on the mount, or the failure ESTALE where it has no name. */
    public synchronized String path(Node node) {
        String path = pathOrNull(node);
        if (path == null) {
            throw new Errno.Failure(Errno.ESTALE);
        }
        return path;
    }

    /** As {@link #path}, of a name in a directory. */
    public synchronized String path(Node directory, String name) {
        String path = path(directory);
        return path.length() == 1 ? path + name : path + "/" + name;
    }

    /** A path of the node, or null where it has no name. */
    public synchronized String pathOrNull(Node node) {
        if (node == root) {
            return "/";
        }
        StringBuilder path = new StringBuilder();
        Node at = node;
        for (int depth = 0; at != root; depth++) {
            Node.Name name = at.names.peekLast();
            if (name == null || depth == MAX_DEPTH) {
                return null;
            }
            path.insert(0, name.name()).insert(0, '/');
            at = name.directory();
        }
        return path.toString();
    }

    /** How many nodes there are. */
    public synchronized int size() {
        return byId.size();
    }
}
