package io.verbena.rpcsec.gss.internal;

import io.verbena.rpc.AcceptStatus;
import io.verbena.rpc.Credential;
import io.verbena.rpc.RpcCall;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.RpcRequest;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSException;

/** A client and a guarded program without a transport between them, and calls that are written octet by octet. */
final class GssFixture implements AutoCloseable {
    static final int PROGRAM = 0x20000001;
    static final int ECHO = 1;
    static final int NONE = 1;
    static final int INTEGRITY = 2;
    static final int PRIVACY = 3;
    static final Duration SOON = Duration.ofSeconds(20);

    /** The arguments of ECHO, and its results: an opaque of four octets. */
    static final byte[] ARGUMENTS = {0, 0, 0, 4, 1, 2, 3, 4};

    final GssServer server;
    final RpcProgram guarded;
    final GssClient client;
    final DirectConnection connection;

    /** Who made the calls that were executed. */
    final List<Credential> executed = new ArrayList<>();

    GssFixture(Kerberos kerberos, ProtectionService service) throws Exception {
        server = (GssServer)
                Kerberos.SECURITY.server(kerberos.server, "nfs@localhost", EnumSet.allOf(ProtectionService.class));
        guarded = server.protect(new Echo());
        client = (GssClient) Kerberos.SECURITY.client(() -> kerberos.alice, "nfs@localhost", service);
        connection = new DirectConnection(guarded::handle);
    }

    /** Answers procedure ECHO with its arguments; there is no other but NULL. */
    private final class Echo implements RpcProgram {
        @Override
        public int program() {
            return PROGRAM;
        }

        @Override
        public int lowVersion() {
            return 1;
        }

        @Override
        public int highVersion() {
            return 1;
        }

        @Override
        public void handle(RpcRequest request) throws Exception {
            executed.add(request.credential());
            if (request.procedure() > ECHO) {
                request.fail(AcceptStatus.PROC_UNAVAIL);
                return;
            }
            if (request.procedure() == ECHO) {
                request.results().putOpaque(request.arguments().getOpaque(100));
                request.arguments().requireEnd();
            }
            request.reply();
        }
    }

    GssFixture establish() throws Exception {
        client.establish(connection, PROGRAM, 1, SOON);
        return this;
    }

    AcceptorContext kept() {
        return server.find(client.context().handle());
    }

    RpcCall call() {
        RpcCall call = new RpcCall(new XdrWriter(), PROGRAM, 1, ECHO, client);
        call.arguments().putFixedOpaque(ARGUMENTS);
        return call;
    }

    /** A call of ECHO by the client; its results. */
    byte[] echo() throws Exception {
        return connection.call(call(), in -> in.getOpaque(100)).get(20, TimeUnit.SECONDS);
    }

    OneRequest send(byte[] octets) throws Exception {
        OneRequest request = new OneRequest(octets);
        guarded.handle(request);
        return request;
    }

    /** Executes a call of ECHO that is written by hand. */
    OneRequest send(int sequence, int service) throws Exception {
        return send(octets(ECHO, 0, sequence, service, handle(), body(service, sequence, ARGUMENTS)));
    }

    byte[] handle() {
        byte[] handle = new byte[client.context().handle().remaining()];
        client.context().handle().get(handle);
        return handle;
    }

    /** The octets of a call with a verifier of the client's context (RFC 2203 section 5.3.1). */
    byte[] octets(int procedure, int gssProcedure, int sequence, int service, byte[] handle, byte[] body)
            throws GSSException {
        byte[] header = header(procedure, gssProcedure, sequence, service, handle);
        return join(header, client.context().mechanism().mic(header), body);
    }

    static byte[] header(int procedure, int gssProcedure, int sequence, int service, byte[] handle) {
        XdrWriter out = new XdrWriter();
        out.putInt(0x77).putInt(0).putInt(2).putInt(PROGRAM).putInt(1).putInt(procedure);
        out.putInt(6).putInt(20 + XdrWriter.roundUp(handle.length));
        out.putInt(1).putInt(gssProcedure).putInt(sequence).putInt(service).putOpaque(handle);
        return out.toByteArray();
    }

    static byte[] join(byte[] header, byte[] mic, byte[] body) {
        XdrWriter out = new XdrWriter();
        out.putFixedOpaque(header).putInt(6).putOpaque(mic).putFixedOpaque(body);
        return out.toByteArray();
    }

    /** Arguments as a service protects them (RFC 2203 section 5.3.2). */
    byte[] body(int service, int sequence, byte[] plain) throws GSSException {
        Mechanism mechanism = client.context().mechanism();
        byte[] numbered = numbered(sequence, plain);
        return switch (service) {
            case INTEGRITY ->
                new XdrWriter()
                        .putOpaque(numbered)
                        .putOpaque(mechanism.mic(numbered))
                        .toByteArray();
            case PRIVACY -> new XdrWriter().putOpaque(mechanism.wrap(numbered)).toByteArray();
            default -> plain;
        };
    }

    static byte[] numbered(int sequence, byte[] plain) {
        return ByteBuffer.allocate(4 + plain.length).putInt(sequence).put(plain).array();
    }

    static XdrReader reader(byte[] octets) {
        return new XdrReader(ByteBuffer.wrap(octets));
    }

    static int at(byte[] octets, int offset) {
        return ByteBuffer.wrap(octets).getInt(offset);
    }

    static byte[] patched(byte[] octets, int offset, int value) {
        byte[] changed = octets.clone();
        ByteBuffer.wrap(changed).putInt(offset, value);
        return changed;
    }

    /** Has the server's context fail in one operation of GSS-API. */
    void breakContext(String method) throws Exception {
        breakContext(method, 0);
    }

    /** @param after how often the operation is done before it fails */
    void breakContext(String method, int after) throws Exception {
        AtomicInteger done = new AtomicInteger();
        AcceptorContext context = kept();
        GSSContext real = raw(context.mechanism());
        GSSContext broken = (GSSContext) Proxy.newProxyInstance(
                GssFixture.class.getClassLoader(), new Class<?>[] {GSSContext.class}, (proxy, called, arguments) -> {
                    if (called.getName().equals(method) && done.getAndIncrement() >= after) {
                        throw new GSSException(GSSException.FAILURE);
                    }
                    try {
                        return called.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        server.contexts().remove(context);
        long end = System.nanoTime() + SOON.toNanos();
        AcceptorContext replaced = new AcceptorContext(
                context.handle(), context.acceptor(), new Mechanism(broken), context.principal(), 0, end, 1024);
        server.contexts().add(replaced, System.nanoTime());
    }

    static GSSContext raw(Mechanism mechanism) throws ReflectiveOperationException {
        return (GSSContext) field(mechanism, "context");
    }

    static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
