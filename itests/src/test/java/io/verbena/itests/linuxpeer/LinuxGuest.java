package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.verbena.itests.TimeLimit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/**
 * A Linux kernel under qemu: an independent NFS server and NFS client over RDMA. The guest ends with {@link #close()},
 * or with any end of this process.
 */
final class LinuxGuest implements AutoCloseable {
    /** The guest's path of the project's folder, if it was booted with the folder; the guest cannot write to it. */
    static final String PROJECT = "/host";

    /** The port of our own server in the guest on {@link #IWARP}, which this process reaches as {@link #own}. */
    static final int OWN_PORT = 20050;

    /** The disk of a guest that was booted with one. */
    static final String DISK = "/dev/vdb";

    /** The guest's address on the network whose device is siw0 (soft iWARP). */
    static final String IWARP = "10.0.2.15";

    /** The guest's address on the network whose device is rxe0 (soft RoCE). */
    static final String ROCE = "10.0.3.15";

    private static final Path SCRIPTS = Path.of(System.getProperty("verbena.linux-peer", "linux-peer"));
    private static final Duration BOOT = Duration.ofMinutes(4);
    private static final Duration CONTROL = Duration.ofSeconds(20);
    private static final Duration COMMAND = Duration.ofMinutes(2);
    private static final Duration END = Duration.ofSeconds(20);

    /** qemu's message if another process has taken a port after it was found free. */
    private static final String PORT_TAKEN = "Could not set up host forwarding rule";

    private final Path folder;
    private final int nfsPort;
    private final int sshPort;
    private final int ownPort;
    private final int kdcPort;
    private final int hostPort;
    private final Path key;
    private final Process boot;
    private final Thread console;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    /** Why commands are run in the guest no more; null if they are. */
    private volatile String givenUp;
    /** Whether a known fault of Linux's is why. */
    private volatile boolean faultOfLinux;

    private LinuxGuest(Path folder, Map<String, String> settings) throws IOException {
        this.folder = folder;
        // all sockets stay open, so that the ports differ, until qemu opens the ports
        try (ServerSocket nfs = probe();
                ServerSocket ssh = probe();
                ServerSocket own = probe();
                ServerSocket kdc = probe();
                ServerSocket host = probe()) {
            this.nfsPort = nfs.getLocalPort();
            this.sshPort = ssh.getLocalPort();
            this.ownPort = own.getLocalPort();
            this.kdcPort = kdc.getLocalPort();
            this.hostPort = host.getLocalPort();
        }
        this.key = home().resolve("key");
        ProcessBuilder builder =
                new ProcessBuilder(SCRIPTS.resolve("boot").toString(), folder.toString()).redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "NFS_PORT", "" + nfsPort,
                        "SSH_PORT", "" + sshPort,
                        "OWN_PORT", "" + ownPort,
                        "KDC_PORT", "" + kdcPort));
        builder.environment().putAll(settings);
        this.boot = builder.start();
        this.console = new Thread(this::readConsole, "linux-guest-console");
        console.setDaemon(true);
        console.start();
    }

    /** Boots a guest as a peer, with one processor, and waits until it serves. */
    static LinuxGuest boot() throws IOException, InterruptedException {
        return boot(Map.of("RESTRICT", "off", "VCPUS", "1"));
    }

    /**
     * Boots a guest that also runs the project's programs: it has the project's folder as {@link #PROJECT}, two
     * processors for programs that wait for each other, and memory for large files.
     */
    static LinuxGuest bootWithProject() throws IOException, InterruptedException {
        String project = SCRIPTS.resolve("../..").toRealPath().toString();
        return boot(Map.of("RESTRICT", "off", "VCPUS", "2", "MEM", "5120", "SHARE", project));
    }

    /**
     * Boots a guest like {@link #bootWithProject}, with less memory and a further disk, {@link #DISK}. After any end of
     * the guest, the file holds the data that the guest has flushed to the disk, but not the data in the guest's
     * memory.
     *
     * @param disk the disk's file on this machine
     */
    static LinuxGuest bootWithDisk(Path disk) throws IOException, InterruptedException {
        String project = SCRIPTS.resolve("../..").toRealPath().toString();
        return boot(Map.of("VCPUS", "2", "MEM", "2048", "SHARE", project, "DISK", disk.toString()));
    }

    private static LinuxGuest boot(Map<String, String> settings) throws IOException, InterruptedException {
        try {
            return bootOnce(settings);
        } catch (PortTakenException e) {
            return bootOnce(settings);
        }
    }

    private static LinuxGuest bootOnce(Map<String, String> settings) throws IOException, InterruptedException {
        // the folder holds the console's output and control sockets, whose paths must be short
        LinuxGuest guest = new LinuxGuest(Files.createTempDirectory("linux-guest"), settings);
        try {
            guest.ready.get(BOOT.toSeconds(), TimeUnit.SECONDS);
            return guest;
        } catch (ExecutionException | TimeoutException e) {
            String console = guest.consoleText();
            guest.close();
            if (console.contains(PORT_TAKEN)) {
                throw new PortTakenException(console, e);
            }
            throw new IOException("the Linux guest does not serve: " + console, e);
        }
    }

    private static Path home() {
        String home = System.getenv("VERBENA_PEER_HOME");
        String cache = System.getenv("XDG_CACHE_HOME");
        if (home != null) {
            return Path.of(home);
        }
        Path folder = cache == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
        return folder.resolve("verbena/linux-peer");
    }

    private static ServerSocket probe() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    private void readConsole() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(boot.getInputStream(), UTF_8));
                var copy = Files.newBufferedWriter(console(), UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                copy.write(line + "\n");
                copy.flush();
                if (line.startsWith("PEER ") && line.endsWith(" READY")) {
                    ready.complete(null);
                }
            }
            ready.completeExceptionally(new IOException("qemu ended"));
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
    }

    private Path console() {
        return folder.resolve("console.log");
    }

    private String consoleText() throws IOException {
        return Files.exists(console()) ? Files.readString(console()) : "no console";
    }

    /** The address by which this process reaches the guest's NFS server over soft iWARP. */
    InetSocketAddress nfs() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), nfsPort);
    }

    /** The address by which this process reaches our own server in the guest, which listens on {@link #OWN_PORT}. */
    InetSocketAddress own() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), ownPort);
    }

    /** The address by which this process reaches the guest's KDC over TCP, if {@link GuestKerberos} has started it. */
    InetSocketAddress kdc() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), kdcPort);
    }

    /** A free port of this machine's loopback interface for a server, which the guest reaches as 10.0.2.2. */
    int hostPort() {
        return hostPort;
    }

    /** Runs a shell command in the guest and returns what it printed; anything but exit status 0 fails the test. */
    String run(String command) throws IOException, InterruptedException {
        return run(command, COMMAND);
    }

    String run(String command, Duration limit) throws IOException, InterruptedException {
        Result result = tryRun(command, limit);
        if (result.status() != 0) {
            throw new AssertionError(
                    "in the guest: " + command + " exited with " + result.status() + ": " + result.output());
        }
        return result.output();
    }

    /**
     * Runs a shell command in the guest, with any exit status. The test fails if the command does not end within the
     * limit.
     */
    Result tryRun(String command, Duration limit) throws IOException, InterruptedException {
        Process ssh = start(command);
        CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> {
            try {
                return new String(ssh.getInputStream().readAllBytes(), UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        if (!ssh.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            ssh.destroyForcibly();
            // the output is not awaited, since ssh's master connection may hold its end of the pipe longer
            throw new CommandNotEndedError("in the guest: " + command + " has not ended after " + limit.toSeconds()
                    + " s: " + output.getNow(""));
        }
        return new Result(ssh.exitValue(), output.join());
    }

    /** A command has not ended in its time. */
    static final class CommandNotEndedError extends AssertionError {
        private static final long serialVersionUID = 1L;

        CommandNotEndedError(String message) {
            super(message);
        }
    }

    boolean isGivenUp() {
        return givenUp != null;
    }

    /**
     * Lets all further commands fail at once, so that the tests that are left do not wait one after the other.
     *
     * @param ofLinux whether the cause is a known fault of Linux's, so that those tests are aborted and not failed
     */
    void giveUp(String why, boolean ofLinux) {
        faultOfLinux = ofLinux;
        givenUp = why;
    }

    /** Starts a shell command in the guest; standard error goes with standard output. Ending ssh does not end it. */
    Process start(String command) throws IOException {
        if (givenUp != null) {
            String message = "in the guest: " + command + " is not run any more: " + givenUp;
            if (faultOfLinux) {
                throw new TestAbortedException(message);
            }
            throw new AssertionError(message);
        }
        List<String> ssh = new ArrayList<>(List.of("ssh", "-F", "none", "-i", key.toString(), "-p", "" + sshPort));
        for (String option : List.of(
                "StrictHostKeyChecking=no",
                "UserKnownHostsFile=/dev/null",
                "LogLevel=ERROR",
                "ConnectTimeout=20",
                "ControlMaster=auto",
                "ControlPath=" + folder.resolve("ssh"),
                "ControlPersist=60")) {
            ssh.addAll(List.of("-o", option));
        }
        ssh.add("root@127.0.0.1");
        ssh.add(command);
        return new ProcessBuilder(ssh)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .start();
    }

    /** Pulls the plug of the guest's network interface eth0, or puts it back; commands cannot be run without it. */
    void setLink(boolean up) throws IOException {
        control("{\"execute\": \"set_link\", \"arguments\": {\"name\": \"n0\", \"up\": " + up + "}}");
    }

    /** Sends a command to qemu (QEMU Machine Protocol) and waits until it is executed. */
    private void control(String command) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            TimeLimit limit = new TimeLimit(CONTROL, () -> closeLate(channel));
            try {
                channel.connect(UnixDomainSocketAddress.of(folder.resolve("qmp")));
                BufferedReader replies = new BufferedReader(Channels.newReader(channel, UTF_8));
                channel.write(ByteBuffer.wrap("{\"execute\": \"qmp_capabilities\"}\n".getBytes(UTF_8)));
                awaitReturn(replies, "qmp_capabilities");
                channel.write(ByteBuffer.wrap((command + "\n").getBytes(UTF_8)));
                awaitReturn(replies, command);
            } finally {
                limit.close();
            }
        } catch (AsynchronousCloseException e) {
            throw new IOException("qemu does not answer to " + command, e);
        }
    }

    private static void closeLate(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitReturn(BufferedReader replies, String command) throws IOException {
        for (String line = replies.readLine(); line != null; line = replies.readLine()) {
            if (line.startsWith("{\"return\"")) {
                return;
            }
            if (line.startsWith("{\"error\"")) {
                throw new IOException("qemu to " + command + ": " + line);
            }
        }
        throw new IOException("qemu ended at " + command);
    }

    /** Cuts the guest's power, which stops its processors at once. {@link #close} removes the folder. */
    void cutPower() {
        boot.descendants()
                .filter(process -> process.info().command().orElse("").contains("qemu-system"))
                .forEach(ProcessHandle::destroyForcibly);
    }

    /** Ends the guest like a loss of power, and removes its folder. Without effect if the guest has ended. */
    @Override
    public void close() throws IOException {
        boot.getOutputStream().close(); // the script ends when its input ends
        try {
            boot.onExit().get(END.toSeconds(), TimeUnit.SECONDS);
            console.join(END.toMillis());
        } catch (ExecutionException | TimeoutException e) {
            end();
        } catch (InterruptedException e) {
            end();
            Thread.currentThread().interrupt();
        }
        removeFolder();
    }

    /** Removes the folder with ssh's socket, which ssh itself may be removing at the same time. */
    private void removeFolder() throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.deleteIfExists(file);
                }
            }
            Files.deleteIfExists(folder);
        }
    }

    private void end() {
        boot.descendants().forEach(ProcessHandle::destroyForcibly);
        boot.destroyForcibly();
    }

    private static final class PortTakenException extends IOException {
        private static final long serialVersionUID = 1L;

        PortTakenException(String console, Throwable cause) {
            super("a port of the Linux guest's is taken: " + console, cause);
        }
    }

    /** The exit status of a command, and its output on both streams. */
    record Result(int status, String output) {}
}
