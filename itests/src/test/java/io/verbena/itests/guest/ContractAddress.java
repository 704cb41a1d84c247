package io.verbena.itests.guest;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The address for connections: the system property {@code verbena.contract.address}. */
final class ContractAddress {
    private ContractAddress() {}

    static InetAddress named() {
        try {
            return InetAddress.getByName(System.getProperty("verbena.contract.address", "127.0.0.1"));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("verbena.contract.address", e);
        }
    }
}
