/** What other bundles find of this one without being wired to it. */
package io.verbena.dirfd.internal.service;
