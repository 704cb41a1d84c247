package io.verbena.rpcsec.gss.internal;

import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.security.auth.Subject;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A key distribution centre for all test classes of the JVM, because the JDK reads its configuration once; and the
 * logins of a user and of a service. A parameter of a test class's constructor.
 */
final class Kerberos implements AutoCloseable {
    static final GssSecurity SECURITY = new GssSecurity(new SystemRuntime());

    private final Path folder;
    private final Kdc kdc;
    final Subject alice;
    final Path aliceKeytab;
    final Subject server;
    /** Another service of the host, {@code data}. */
    final Subject data;

    private Kerberos() throws Exception {
        folder = Files.createTempDirectory("kdc");
        kdc = new Kdc(folder);
        aliceKeytab = kdc.principal("alice");
        alice = SECURITY.keytab(aliceKeytab, "alice@" + Kdc.REALM);
        server = SECURITY.serverKeytab(kdc.principal("nfs/localhost"), Kdc.SERVICE);
        data = SECURITY.serverKeytab(kdc.principal("data/localhost"), "data/localhost@" + Kdc.REALM);
    }

    @Override
    public void close() throws KrbException, IOException {
        kdc.close();
        List<Path> all;
        try (Stream<Path> walk = Files.walk(folder)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.deleteIfExists(each);
        }
    }

    /** Gives test classes the one of the JVM. */
    static final class Provider implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Kerberos.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(Namespace.GLOBAL)
                    .getOrComputeIfAbsent(Kerberos.class, key -> start(), Kerberos.class);
        }

        private static Kerberos start() {
            try {
                return new Kerberos();
            } catch (Exception e) {
                throw new IllegalStateException("no key distribution centre", e);
            }
        }
    }
}
