package io.verbena.simulation.network;

import io.verbena.verbs.ConnectionHandler;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.RdmaConnection;
import io.verbena.verbs.RdmaException;
import java.net.InetSocketAddress;

/** A request to connect, as the listening process has it. */
final class ConnectingRequest implements ConnectionRequest {
    private final SimulatedProvider server;
    private final SimulatedConnection client;
    private final byte[] privateData;
    private boolean decided;

    ConnectingRequest(SimulatedProvider server, SimulatedConnection client, byte[] privateData) {
        this.server = server;
        this.client = client;
        this.privateData = privateData;
    }

    SimulatedConnection client() {
        return client;
    }

    void accepted() {
        decided = true;
    }

    void rejectIfUndecided() {
        if (!decided) {
            reject(new byte[0]);
        }
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return client.localAddress();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    @Override
    public RdmaConnection open(ConnectionOptions options, ConnectionHandler handler) {
        SimulatedConnection end =
                new SimulatedConnection(server, client.remoteAddress(), client.localAddress(), options, handler, false);
        end.request(this);
        return end;
    }

    @Override
    public void reject(byte[] reason) {
        decided = true;
        byte[] told = reason.clone();
        SimulatedNetwork network = server.network();
        new Wire(network, network.path(client.remoteAddress().getAddress(), client.host()))
                .send(told.length, new Wire.Item() {
                    @Override
                    public void arrive() {
                        client.refused(new RdmaException(RdmaException.Kind.REJECTED, "rejected", null, told));
                    }

                    @Override
                    public void arriveInPart() {
                        // lost
                    }
                });
    }
}
