#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a CTF trace as LTTng does, with Debian's python3-bt2.

    tests/traces/write_ctf.py FOLDER < EVENTS

Each line is CPU NS NAME FIELD=VALUE…. The name `packet` ends a packet. So does `lost` with `count`: so many events are
lost from there to the end of the next packet."""

import sys

import bt2


class Iterator(bt2._UserMessageIterator):
    def __init__(self, config, port):
        self.messages = iter(list(self._component.messages(self)))

    def __next__(self):
        return next(self.messages)


class Source(bt2._UserSourceComponent, message_iterator_class=Iterator):
    def __init__(self, config, params, obj):
        self.events = obj
        self._add_output_port("out")
        trace_class = self._create_trace_class()
        clock = self._create_clock_class(frequency=1_000_000_000, name="monotonic", origin_is_unix_epoch=False)
        number = trace_class.create_signed_integer_field_class
        context = trace_class.create_structure_field_class()
        context += [("cpu_id", trace_class.create_unsigned_integer_field_class(32))]
        stream_class = trace_class.create_stream_class(
            default_clock_class=clock, supports_packets=True, packet_context_field_class=context,
            packets_have_beginning_default_clock_snapshot=True, packets_have_end_default_clock_snapshot=True,
            supports_discarded_events=True, discarded_events_have_default_clock_snapshots=True)
        self.classes = {}
        for _, _, name, fields in self.events:
            if name in ("lost", "packet", *self.classes):
                continue
            payload = trace_class.create_structure_field_class()
            for key, value in fields.items():
                payload += [(key, number(64) if isinstance(value, int) else trace_class.create_string_field_class())]
            self.classes[name] = stream_class.create_event_class(name=name, payload_field_class=payload)
        trace = trace_class()
        self.streams = {cpu: trace.create_stream(stream_class, name=f"channel0_{cpu}")
                        for cpu in sorted({event[0] for event in self.events})}

    def messages(self, iterator):
        packets = {}
        for cpu, stream in self.streams.items():
            yield iterator._create_stream_beginning_message(stream)
        for index, (cpu, time, name, fields) in enumerate(self.events):
            stream = self.streams[cpu]
            if name in ("lost", "packet"):
                yield iterator._create_packet_end_message(packets.pop(cpu), default_clock_snapshot=time)
                if name == "lost":
                    ends = [event[1] for event in self.events[index + 1:] if event[0] == cpu and len(event[3]) < 2]
                    yield iterator._create_discarded_events_message(
                        stream, fields["count"], beg_clock_snapshot=time,
                        end_clock_snapshot=(ends + [self.events[-1][1]])[0])
                continue
            if cpu not in packets:
                packets[cpu] = stream.create_packet()
                packets[cpu].context_field["cpu_id"] = cpu
                yield iterator._create_packet_beginning_message(packets[cpu], default_clock_snapshot=time)
            event = iterator._create_event_message(self.classes[name], packets[cpu], default_clock_snapshot=time)
            for key, value in fields.items():
                event.event.payload_field[key] = value
            yield event
        end = self.events[-1][1]
        for cpu, stream in self.streams.items():
            if cpu in packets:
                yield iterator._create_packet_end_message(packets[cpu], default_clock_snapshot=end)
            yield iterator._create_stream_end_message(stream)


def parsed(line):
    cpu, time, name, *fields = line.split()
    values = dict(field.split("=", 1) for field in fields)
    return int(cpu), int(time), name, {key: int(value) if value.lstrip("-").isdigit() else value
                                       for key, value in values.items()}


def main():
    events = [parsed(line) for line in sys.stdin if line.strip()]
    graph = bt2.Graph()
    source = graph.add_component(Source, "source", obj=events)
    sink = graph.add_component(bt2.find_plugin("ctf").sink_component_classes["fs"], "sink", {"path": sys.argv[1]})
    graph.connect_ports(source.output_ports["out"], next(iter(sink.input_ports.values())))
    graph.run()


main()  # what it leaves is released then, and with it the file metadata is written
