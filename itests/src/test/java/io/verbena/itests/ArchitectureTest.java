package io.verbena.itests;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.verbena.runtime.Runtime;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** The layers and their borders. A rule may exist before the code that it is for. */
final class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.verbena");

    /** The module that combines the implementations for programs without OSGi. It may use all of them. */
    private static final String STANDALONE = "io.verbena.standalone";

    /** Each bundle's root package, and the bundles that it may use. No bundle may use one that implements. */
    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(
            Map.entry("io.verbena.text", Set.of()),
            Map.entry("io.verbena.xdr", Set.of("io.verbena.text")),
            Map.entry("io.verbena.runtime", Set.of()),
            Map.entry("io.verbena.metrics", Set.of()),
            Map.entry("io.verbena.karaf.subject", Set.of()),
            Map.entry("io.verbena.memory", Set.of("io.verbena.runtime")),
            Map.entry("io.verbena.rpc", Set.of("io.verbena.memory", "io.verbena.xdr")),
            Map.entry(
                    "io.verbena.rpcsec.gss",
                    Set.of("io.verbena.memory", "io.verbena.rpc", "io.verbena.runtime", "io.verbena.xdr")),
            Map.entry("io.verbena.dirfd", Set.of("io.verbena.text")),
            Map.entry("io.verbena.verbs", Set.of()),
            Map.entry("io.verbena.verbs.iwarp", Set.of("io.verbena.memory", "io.verbena.runtime", "io.verbena.verbs")),
            Map.entry("io.verbena.verbs.selftest", Set.of("io.verbena.verbs")),
            Map.entry("io.verbena.verbs.trace", Set.of("io.verbena.verbs")),
            Map.entry("io.verbena.verbs.natives", Set.of("io.verbena.verbs")),
            Map.entry("io.verbena.rpcrdma", Set.of("io.verbena.metrics", "io.verbena.xdr")),
            Map.entry("io.verbena.rpcrdma.v1", Set.of("io.verbena.rpcrdma", "io.verbena.xdr")),
            Map.entry("io.verbena.rpcrdma.v2", Set.of("io.verbena.rpcrdma", "io.verbena.xdr")),
            Map.entry("io.verbena.rpcrdma.cm", Set.of("io.verbena.rpcrdma", "io.verbena.xdr")),
            Map.entry(
                    "io.verbena.rpcrdma.dispatcher",
                    Set.of(
                            "io.verbena.memory",
                            "io.verbena.metrics",
                            "io.verbena.rpc",
                            "io.verbena.rpcrdma",
                            "io.verbena.runtime",
                            "io.verbena.verbs",
                            "io.verbena.xdr")),
            Map.entry(
                    "io.verbena.nfs",
                    Set.of("io.verbena.memory", "io.verbena.metrics", "io.verbena.runtime", "io.verbena.text")),
            Map.entry(
                    "io.verbena.nfs.transfer",
                    Set.of(
                            "io.verbena.dirfd",
                            "io.verbena.memory",
                            "io.verbena.nfs",
                            "io.verbena.runtime",
                            "io.verbena.text")),
            Map.entry(
                    "io.verbena.fuse",
                    Set.of("io.verbena.memory", "io.verbena.nfs", "io.verbena.runtime", "io.verbena.text")),
            Map.entry("io.verbena.nfs41", Set.of("io.verbena.xdr")),
            Map.entry(
                    "io.verbena.nfs41.client",
                    Set.of(
                            "io.verbena.memory",
                            "io.verbena.metrics",
                            "io.verbena.nfs",
                            "io.verbena.nfs41",
                            "io.verbena.rpc",
                            "io.verbena.runtime",
                            "io.verbena.text",
                            "io.verbena.xdr")),
            Map.entry(
                    "io.verbena.management",
                    Set.of("io.verbena.memory", "io.verbena.metrics", "io.verbena.nfs", "io.verbena.rpcrdma")),
            Map.entry(
                    "io.verbena.openmetrics",
                    Set.of(
                            "io.verbena.memory",
                            "io.verbena.metrics",
                            "io.verbena.nfs",
                            "io.verbena.rpcrdma",
                            "io.verbena.runtime")),
            Map.entry(
                    "io.verbena.webconsole",
                    Set.of(
                            "io.verbena.memory",
                            "io.verbena.metrics",
                            "io.verbena.nfs",
                            "io.verbena.rpcrdma",
                            "io.verbena.runtime",
                            "io.verbena.verbs.trace")),
            Map.entry(
                    "io.verbena.nfs41.server",
                    Set.of(
                            "io.verbena.dirfd",
                            "io.verbena.memory",
                            "io.verbena.nfs",
                            "io.verbena.nfs41",
                            "io.verbena.rpc",
                            "io.verbena.runtime",
                            "io.verbena.text",
                            "io.verbena.xdr")),
            // it combines bundles as OSGi does; no bundle uses it
            Map.entry(
                    STANDALONE,
                    Set.of(
                            "io.verbena.memory",
                            "io.verbena.metrics",
                            "io.verbena.nfs",
                            "io.verbena.nfs.transfer",
                            "io.verbena.nfs41.client",
                            "io.verbena.rpc",
                            "io.verbena.rpcrdma",
                            "io.verbena.rpcrdma.cm",
                            "io.verbena.rpcrdma.dispatcher",
                            "io.verbena.rpcrdma.v1",
                            "io.verbena.rpcrdma.v2",
                            "io.verbena.rpcsec.gss",
                            "io.verbena.runtime",
                            "io.verbena.verbs",
                            "io.verbena.verbs.iwarp",
                            "io.verbena.verbs.natives")),
            // Hadoop's file system on them, by contracts; it finds STANDALONE as a service
            Map.entry("io.verbena.hadoop", Set.of("io.verbena.dirfd", "io.verbena.nfs")),
            Map.entry(
                    "io.verbena.cli",
                    Set.of(
                            "io.verbena.fuse",
                            "io.verbena.memory",
                            "io.verbena.metrics",
                            "io.verbena.nfs",
                            "io.verbena.nfs.transfer",
                            "io.verbena.text")),
            Map.entry(
                    "io.verbena.cli.rdma",
                    Set.of(
                            "io.verbena.cli",
                            "io.verbena.memory",
                            "io.verbena.metrics",
                            "io.verbena.nfs41",
                            "io.verbena.rpc",
                            "io.verbena.rpcrdma",
                            "io.verbena.text",
                            "io.verbena.verbs",
                            "io.verbena.verbs.selftest",
                            "io.verbena.verbs.trace",
                            "io.verbena.xdr")));

    /** The bundles whose code goes past the runtime nowhere. */
    private static final String[] ON_RUNTIME = {
        "io.verbena.memory..",
        "io.verbena.nfs..",
        "io.verbena.nfs41..",
        "io.verbena.rpc..",
        "io.verbena.rpcrdma..",
        "io.verbena.rpcsec..",
        "io.verbena.text..",
        "io.verbena.verbs",
        "io.verbena.verbs.iwarp..",
        "io.verbena.xdr..",
    };

    /** What depends on the working directory, the environment or the standard streams of the process. */
    private static final List<String> OF_THE_PROCESS = List.of(
            "java\\.lang\\.System\\.getenv",
            "java\\.lang\\.System\\.console",
            "java\\.nio\\.file\\.Path\\.(of|toAbsolutePath)",
            "java\\.nio\\.file\\.Paths\\.get",
            "java\\.nio\\.file\\.FileSystem\\.getPath",
            "java\\.io\\.File\\.(<init>|getAbsolute\\w+|getCanonical\\w+)",
            "java\\.io\\.FileDescriptor\\.(in|out|err)");

    /** What reads a clock, makes a thread or a timer, draws a random number, or blocks. */
    private static final List<String> PAST_THE_RUNTIME = List.of(
            "java\\.lang\\.System\\.(nanoTime|currentTimeMillis)",
            "java\\.time\\.(Instant|ZonedDateTime|LocalDateTime)\\.now",
            "java\\.time\\.Clock\\.\\w+",
            "java\\.lang\\.Thread\\.(<init>|sleep|join|isAlive)",
            "java\\.lang\\.Object\\.wait",
            "java\\.lang\\.Math\\.random",
            "java\\.security\\.SecureRandom\\..*",
            "java\\.util\\.UUID\\.randomUUID",
            "java\\.util\\.(Random|SplittableRandom|Timer)\\.<init>",
            "java\\.util\\.concurrent\\.ThreadLocalRandom\\..*",
            "java\\.util\\.concurrent\\.Executors\\..*",
            "java\\.util\\.concurrent\\.(Scheduled)?ThreadPoolExecutor\\.<init>",
            "java\\.util\\.concurrent\\.\\w*(Future|FutureTask)\\.(get|join)",
            "java\\.util\\.concurrent\\.CompletableFuture\\.(delayedExecutor|orTimeout|completeOnTimeout)",
            "java\\.util\\.concurrent\\.(CountDownLatch|CyclicBarrier)\\.await",
            "java\\.util\\.concurrent\\.Semaphore\\.(acquire\\w*|tryAcquire)",
            "java\\.util\\.concurrent\\.\\w*Queue\\.(take|put)",
            "java\\.util\\.concurrent\\.\\w*ExecutorService\\.(awaitTermination|invoke\\w+)",
            "java\\.util\\.concurrent\\.TimeUnit\\.(sleep|timedJoin|timedWait)",
            "java\\.util\\.concurrent\\.locks\\.(Reentrant)?Lock\\.newCondition",
            "java\\.util\\.concurrent\\.locks\\.LockSupport\\.park\\w*");

    private static final DescribedPredicate<JavaClass> SOCKETS = describe(
            "sockets",
            type -> type.getFullName().matches("java\\.net\\.(Server|Datagram|Multicast)?Socket")
                    || type.getFullName().matches("java\\.nio\\.channels\\.\\w*(Socket|Datagram)Channel"));

    private static final DescribedPredicate<JavaClass> IO = describe(
            "I/O",
            type -> type.getPackageName().matches("java\\.(net|nio\\.channels|nio\\.file)(\\..*)?")
                    || type.getFullName().matches("java\\.io\\.(\\w*(Stream|Reader|Writer)|RandomAccessFile|File)"));

    @Test
    void shouldPointDownOnly() {
        classes()
                .should(depend("on bundles below their own only", (user, used) -> {
                    String from = bundleOf(user);
                    String to = bundleOf(used);
                    return to == null
                            || to.equals(from)
                            || MAY_USE.getOrDefault(from, Set.of()).contains(to);
                }))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void shouldKeepInternalPackagesInternal() {
        classes()
                .should(depend("on no internal package of another bundle", (user, used) -> {
                    boolean internal = bundleOf(used) != null && (used + ".").contains(".internal.");
                    return !internal || bundleOf(used).equals(bundleOf(user)) || STANDALONE.equals(bundleOf(user));
                }))
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    /** The resident instance has a socket for processes of its own user on this host. */
    @Test
    void shouldOpenSocketsInTheIwarpProviderOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.verbena.verbs.iwarp..",
                        "io.verbena.rpcsec.gss.internal.tcp..", // where Linux makes its contexts
                        "io.verbena.cli.internal.resident..",
                        "io.verbena.conformance..") // which tests use
                .should()
                .dependOnClassesThat(SOCKETS)
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void shouldCallNativeCodeInTheNativeProviderAndForDirectoriesOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.verbena.verbs.natives..",
                        "io.verbena.dirfd.internal.linux..",
                        "io.verbena.fuse.internal.kernel..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jnr..", "com.kenai..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    /**
     * Buffers are leases of the budget. Other direct memory has a fixed size, which no peer, file or user can increase:
     * structures of the C libraries, a thread's arguments of a system call, and the few messages of the provider's
     * test.
     */
    @Test
    void shouldLeaseDirectMemoryFromTheBudget() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.verbena.memory.internal..",
                        "io.verbena.verbs.selftest.internal..",
                        "io.verbena.benchmarks..",
                        "io.verbena.fuzzing..")
                .and()
                .doNotHaveFullyQualifiedName("io.verbena.verbs.natives.internal.struct.NativeMemory")
                .and()
                .doNotHaveFullyQualifiedName("io.verbena.dirfd.internal.linux.Scratch")
                .and()
                .doNotHaveFullyQualifiedName("io.verbena.dirfd.internal.linux.AttributeNames")
                .and()
                .doNotHaveFullyQualifiedName("io.verbena.fuse.internal.session.FuseSession")
                .should()
                .callMethod(ByteBuffer.class, "allocateDirect", int.class)
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    /**
     * Time, threads, timers, random numbers and waits come from the runtime, so that virtual time can take their place.
     */
    @Test
    void shouldTakeTimeThreadsAndRandomnessFromTheRuntime() {
        noClasses()
                .that()
                .resideInAnyPackage(ON_RUNTIME)
                .should()
                .accessTargetWhere(describe("goes past the runtime", ArchitectureTest::isPastTheRuntime))
                .check(CLASSES);
    }

    /** Who waits for an end goes on when it is reached, interrupted or not: {@code Closing} waits so. */
    @Test
    void shouldLeaveTheWaitForAnEndToClosing() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.verbena.nfs41.server..",
                        "io.verbena.rpcrdma..",
                        "io.verbena.rpcsec..",
                        "io.verbena.verbs.iwarp..")
                .should()
                .callMethod(Runtime.class, "awaitEnd", Thread.class, long.class)
                .orShould()
                .callMethod(Runtime.class, "awaitEnd", ExecutorService.class, long.class)
                .check(CLASSES);
    }

    /**
     * A script that another process hands over has the working directory, the environment and the streams of that
     * process. A command that asks this process for them would have those of another one.
     */
    @Test
    void shouldAskTheInvocationAndNotTheProcess() {
        noClasses()
                .that()
                .resideInAnyPackage("io.verbena.cli..")
                .and()
                .doNotHaveFullyQualifiedName("io.verbena.cli.Invocation")
                .and()
                .doNotHaveFullyQualifiedName("io.verbena.cli.internal.script.ScriptRunner") // runs that of the process
                .and()
                .resideOutsideOfPackage("io.verbena.cli.rdma.internal.doctor") // looks at the process
                .should()
                .accessTargetWhere(describe("asks the process", ArchitectureTest::isOfTheProcess))
                .check(CLASSES);
    }

    private static boolean isOfTheProcess(JavaAccess<?> access) {
        String target = access.getTargetOwner().getFullName() + "." + access.getName();
        boolean isParse = target.equals("io.verbena.text.LocalNames.parse")
                && access.getTarget() instanceof AccessTarget.MethodCallTarget call
                && call.getRawParameterTypes().size() == 1;
        return isParse || OF_THE_PROCESS.stream().anyMatch(target::matches);
    }

    private static boolean isPastTheRuntime(JavaAccess<?> access) {
        String target = access.getTargetOwner().getFullName() + "." + access.getName();
        return PAST_THE_RUNTIME.stream().anyMatch(target::matches);
    }

    @Test
    void shouldFrameWithoutVerbsOrIo() {
        noClasses()
                .that()
                .resideInAnyPackage("io.verbena.rpcrdma.v1..", "io.verbena.rpcrdma.v2..", "io.verbena.rpcrdma.cm..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.verbena.verbs..")
                .orShould()
                .dependOnClassesThat(IO)
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void shouldHavePackagesFreeOfCycles() {
        slices().matching("io.verbena.(**)")
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    /** Checks each dependency between packages; {@code allowed} gets the using and the used package. */
    private static ArchCondition<JavaClass> depend(String what, BiPredicate<String, String> allowed) {
        return new ArchCondition<>("depend " + what) {
            @Override
            public void check(JavaClass user, ConditionEvents events) {
                for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
                    String used = dependency.getTargetClass().getPackageName();
                    if (!allowed.test(user.getPackageName(), used)) {
                        events.add(SimpleConditionEvent.violated(dependency, dependency.getDescription()));
                    }
                }
            }
        };
    }

    /** The bundle with the longest root package that contains the package, or null. */
    private static String bundleOf(String packageName) {
        return MAY_USE.keySet().stream()
                .filter(root -> (packageName + ".").startsWith(root + "."))
                .max(Comparator.comparingInt(String::length))
                .orElse(null);
    }

    /** A change of a name is made again on the mount that takes the place of another: never without a look. */
    @Test
    void shouldChangeNamesThroughJavaNioByTheClassThatLooks() {
        Set<String> changes =
                Set.of("createDirectory", "createSymbolicLink", "createLink", "remove", "removeAsync", "rename");
        noClasses()
                .that()
                .resideInAPackage("io.verbena.nfs.nio..")
                .and()
                .doNotHaveFullyQualifiedName("io.verbena.nfs.nio.internal.path.NameChanges")
                .should()
                .accessTargetWhere(
                        describe("change a name", access -> isOfMount(access) && changes.contains(access.getName())))
                .check(CLASSES);
    }

    /** OPEN with options that create or truncate goes with a verifier, or only reopens what is there. */
    @Test
    void shouldOpenFilesThroughJavaNioByTheClassesThatKnowWhatIsDone() {
        noClasses()
                .that()
                .resideInAPackage("io.verbena.nfs.nio..")
                .and()
                .doNotHaveFullyQualifiedName("io.verbena.nfs.nio.internal.mount.ReplaceableMount")
                .and()
                .doNotHaveFullyQualifiedName("io.verbena.nfs.nio.internal.file.OpenResult")
                .should()
                .accessTargetWhere(describe(
                        "open a file",
                        access -> isOfMount(access) && access.getName().equals("open")))
                .check(CLASSES);
    }

    private static boolean isOfMount(JavaAccess<?> access) {
        return access.getTargetOwner().getFullName().equals("io.verbena.nfs.Mount");
    }
}
