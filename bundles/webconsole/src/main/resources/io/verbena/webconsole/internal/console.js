// The page of mounts, connections, memory and traces. Whatever comes from the server goes into the page as text.
'use strict';

(function () {
    const POLL_MILLIS = 1000;
    const SAMPLES = 120;
    const WIDTH = 480;
    const HEIGHT = 120;
    const SVG = 'http://www.w3.org/2000/svg';
    const NANOS_IN_MICRO = 1000;
    const MICROS_IN_MILLI = 1000;
    const MILLIS_IN_SECOND = 1000;
    const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

    const root = document.getElementById('verbena');
    // without the user and the password that the address of the page may have
    const figures = new URL(root.dataset.figures, window.location.origin);
    const histories = new Map(); // by name of mount: what is known of it since the page was opened

    function element(name, text, className) {
        const made = document.createElement(name);
        if (text !== undefined) {
            made.textContent = text;
        }
        if (className) {
            made.className = className;
        }
        return made;
    }

    function drawn(name, attributes) {
        const made = document.createElementNS(SVG, name);
        for (const [key, value] of Object.entries(attributes)) {
            made.setAttribute(key, value);
        }
        return made;
    }

    function octets(count) {
        let unit = 0;
        let rest = count;
        while (rest >= 1024 && unit < UNITS.length - 1) {
            rest /= 1024;
            unit++;
        }
        return (unit === 0 ? rest.toFixed(0) : rest.toFixed(1)) + ' ' + UNITS[unit];
    }

    function rate(count) {
        return octets(count) + '/s';
    }

    function duration(nanos) {
        const micros = nanos / NANOS_IN_MICRO;
        if (micros < MICROS_IN_MILLI) {
            return micros.toFixed(0) + ' µs';
        }
        const millis = micros / MICROS_IN_MILLI;
        return millis < MILLIS_IN_SECOND ? millis.toFixed(1) + ' ms' : (millis / MILLIS_IN_SECOND).toFixed(1) + ' s';
    }

    function shares(row) {
        return [row.halfNanos, row.almostAllNanos, row.longestNanos].map(duration).join(' / ');
    }

    function durations(row) {
        return row.longestNanos === 0 ? '–' : shares(row);
    }

    // The time that this share of the durations between two documents does not exceed; nothing if there are none.
    function percentile(share, earlier, later, bounds) {
        const all = later[bounds.length] - earlier[bounds.length];
        if (all <= 0) {
            return null;
        }
        for (let i = 0; i < bounds.length; i++) {
            if (later[i] - earlier[i] >= share * all) {
                return bounds[i];
            }
        }
        return bounds[bounds.length - 1];
    }

    // Adds what has happened since the last document to the histories, and forgets mounts that have gone.
    function remember(told) {
        const present = new Set(told.mounts.map((mount) => mount.name));
        for (const name of histories.keys()) {
            if (!present.has(name)) {
                histories.delete(name);
            }
        }
        for (const mount of told.mounts) {
            let history = histories.get(mount.name);
            if (!history || history.sinceMillis !== mount.sinceMillis) {
                history = { sinceMillis: mount.sinceMillis, samples: [] };
                histories.set(mount.name, history);
            } else {
                const seconds = (told.clockMillis - history.clockMillis) / MILLIS_IN_SECOND;
                if (seconds <= 0) {
                    continue;
                }
                const of = (share) => percentile(share, history.mount.counts, mount.counts, told.boundsNanos);
                history.samples.push({
                    read: Math.max(0, mount.readOctets - history.mount.readOctets) / seconds,
                    written: Math.max(0, mount.writtenOctets - history.mount.writtenOctets) / seconds,
                    half: of(0.5),
                    nine: of(0.9),
                    almostAll: of(0.99),
                });
                history.samples.splice(0, history.samples.length - SAMPLES);
            }
            history.mount = mount;
            history.clockMillis = told.clockMillis;
        }
    }

    // A plot of some lines, the newest sample at the right. A line has a gap where a sample has no value.
    function plot(title, samples, lines, format) {
        const figure = element('figure');
        const values = samples.flatMap((sample) => lines.map((line) => sample[line.key] || 0));
        const most = Math.max(0, ...values);
        const top = most || 1;
        const caption = element('figcaption', title + ', up to ' + format(most));
        figure.append(caption);
        const picture = drawn('svg', {
            viewBox: '0 0 ' + WIDTH + ' ' + HEIGHT,
            preserveAspectRatio: 'none',
            role: 'img',
            'aria-label': title,
        });
        const last = samples[samples.length - 1];
        for (const line of lines) {
            let parts = [[]];
            samples.forEach((sample, i) => {
                const value = sample[line.key];
                if (value === null) {
                    parts.push([]);
                } else {
                    const x = WIDTH - ((samples.length - 1 - i) * WIDTH) / (SAMPLES - 1);
                    const y = HEIGHT - 1 - (value / top) * (HEIGHT - 2);
                    parts[parts.length - 1].push([x, y]);
                }
            });
            for (const part of parts.filter((each) => each.length > 0)) {
                // a single sample is a short dash
                const ends = part.length > 1 ? part : [[part[0][0] - 2, part[0][1]], part[0]];
                const points = ends.map((point) => point[0].toFixed(1) + ',' + point[1].toFixed(1)).join(' ');
                picture.append(drawn('polyline', { points: points, 'class': 'line ' + line.key }));
            }
            const now = last === undefined || last[line.key] === null ? '–' : format(last[line.key]);
            caption.append(element('span', ' ' + line.name + ' ' + now, 'legend ' + line.key));
        }
        figure.append(picture);
        return figure;
    }

    function plots(told) {
        const all = element('div', undefined, 'plots');
        for (const mount of told.mounts) {
            const samples = histories.get(mount.name).samples;
            const row = element('div', undefined, 'plot');
            row.dataset.mount = mount.name;
            row.append(element('h4', mount.name));
            row.append(plot('Throughput', samples, [
                { key: 'read', name: 'read' },
                { key: 'written', name: 'write' },
            ], rate));
            row.append(plot('Round trip', samples, [
                { key: 'half', name: '50 %' },
                { key: 'nine', name: '90 %' },
                { key: 'almostAll', name: '99 %' },
            ], duration));
            all.append(row);
        }
        return all;
    }

    // A section with a table. A column is a name, and a function from a row to its text.
    function table(id, title, rows, leftOut, columns, empty) {
        const section = element('section');
        section.id = 'verbena-' + id;
        section.append(element('h3', title));
        if (rows.length === 0) {
            section.append(element('p', empty, 'empty'));
            return section;
        }
        const made = element('table');
        const head = made.createTHead().insertRow();
        columns.forEach((column) => head.append(element('th', column[0])));
        const body = made.createTBody();
        for (const row of rows) {
            const line = body.insertRow();
            columns.forEach((column) => line.append(element('td', String(column[1](row)))));
        }
        section.append(made);
        if (leftOut > 0) {
            section.append(element('p', 'and ' + leftOut + ' more, which the shell lists', 'more'));
        }
        return section;
    }

    function show(told) {
        const sections = [];
        sections.push(table('mounts', 'Mounts', told.mounts, told.mountsLeftOut, [
            ['mount', (row) => row.name],
            ['source', (row) => row.source],
            ['state', (row) => row.state + (row.trouble === '' ? '' : ': ' + row.trouble)],
            ['requests', (row) => row.requests],
            ['errors', (row) => row.errors],
            ['retries', (row) => row.retries],
            ['read', (row) => octets(row.readOctets)],
            ['written', (row) => octets(row.writtenOctets)],
            ['slots', (row) => row.slotsInUse + ' of ' + row.slotsGranted + ', ' + row.slotsWaiting + ' waiting'],
            ['open files', (row) => row.openFiles],
            ['reconnects', (row) => row.reconnects],
            ['50 % / 99 % / longest', durations],
        ], 'There is no mount. In the shell, nfs:mount HOST:/EXPORT NAME makes one.'));
        sections[0].append(plots(told));
        sections.push(table('connections', 'Connections', told.connections, told.connectionsLeftOut, [
            ['id', (row) => row.id],
            ['role', (row) => row.role],
            ['label', (row) => row.label],
            ['state', (row) => row.state],
            ['local', (row) => row.local],
            ['remote', (row) => row.remote],
            ['provider', (row) => row.provider],
            ['version', (row) => row.version],
            ['calls', (row) => row.calls],
            ['sent again', (row) => row.retransmissions],
            ['reconnects', (row) => row.reconnects],
            ['credits', (row) => row.creditsInUse + ' of ' + row.creditsGranted + ', ' + row.callsWaiting + ' waiting'],
            ['50 % / 99 % / longest', durations],
        ], 'There is no connection.'));
        const memory = told.memory;
        const budget = memory
            ? 'Memory: ' + octets(memory.leasedOctets) + ' of ' + octets(memory.limitOctets) + ' held, '
                + octets(memory.allocatedOctets) + ' allocated'
            : 'Memory';
        sections.push(table('holders', budget, told.holders, told.holdersLeftOut, [
            ['holder', (row) => row.holder],
            ['held', (row) => octets(row.heldOctets)],
            ['leases', (row) => row.leases],
            ['waiting', (row) => row.waiting],
            ['part of the holder above', (row) => (row.isPart ? 'yes' : '')],
        ], 'Nobody holds memory.'));
        sections.push(table('traces', 'Traces', told.traces, 0, [
            ['file', (row) => row.file],
            ['state', (row) => (row.isRunning ? 'running' : 'ended') + (row.failure === '' ? '' : ': ' + row.failure)],
            ['since', (row) => row.since],
            ['connections', (row) => row.connections],
            ['frames', (row) => row.frames],
            ['octets', (row) => octets(row.octets)],
            ['dropped', (row) => row.dropped],
        ], 'No trace runs, and none has ended. In the shell, rdma:trace start FILE starts one.'));
        if (window.getSelection().isCollapsed) { // what somebody is about to copy stays
            root.replaceChildren(...sections);
        }
    }

    // Says that the figures are of an earlier time.
    function complain(reason) {
        let line = document.getElementById('verbena-trouble');
        if (!line) {
            line = element('p');
            line.id = 'verbena-trouble';
            root.prepend(line);
        }
        line.textContent = 'No answer: ' + reason + '. The page goes on asking.';
    }

    async function poll() {
        try {
            if (!document.hidden) {
                const response = await fetch(figures, { credentials: 'same-origin', cache: 'no-store' });
                if (!response.ok) {
                    throw new Error('status ' + response.status);
                }
                const told = await response.json();
                remember(told);
                show(told);
            }
        } catch (failure) {
            complain(failure.message);
        } finally {
            window.setTimeout(poll, POLL_MILLIS);
        }
    }

    poll();
})();
