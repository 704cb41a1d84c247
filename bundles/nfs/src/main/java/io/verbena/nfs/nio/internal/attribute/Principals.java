package io.verbena.nfs.nio.internal.attribute;

import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.regex.Pattern;

/**
 * Looks up users and groups by their NFSv4 names (RFC 8881 section 5.9): a number, or {@code user@domain}. NFSv4 has no
 * operation that asks whether the server knows a name; SETATTR of the owner fails if it does not.
 */
public final class Principals extends UserPrincipalLookupService {
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");
    private static final long MAX_NUMBER = 0xffff_ffffL;

    /**
     * @throws UserPrincipalNotFoundException for a name that is neither a number nor has a domain, which no server
     *     takes
     */
    @Override
    public UserPrincipal lookupPrincipalByName(String name) throws UserPrincipalNotFoundException {
        return new NfsPrincipal.User(checked(name));
    }

    /** As {@link #lookupPrincipalByName}. */
    @Override
    public GroupPrincipal lookupPrincipalByGroupName(String group) throws UserPrincipalNotFoundException {
        return new NfsPrincipal.Group(checked(group));
    }

    private static String checked(String name) throws UserPrincipalNotFoundException {
        if (NUMBER.matcher(name).matches() && Long.parseLong(name) <= MAX_NUMBER) {
            return Long.toString(Long.parseLong(name));
        }
        int at = name.indexOf('@');
        if (at <= 0 || at == name.length() - 1) {
            throw new UserPrincipalNotFoundException(name);
        }
        return name;
    }
}
