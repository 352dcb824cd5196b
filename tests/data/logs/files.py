"""Small handwritten log files."""

import json

AOL_HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"
PLAIN_HEADER = "query,action,url,time,user,session,search,position,dwell"


def write(folder, name, *lines):
    path = folder / name
    path.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines) + b"\n")
    return str(path)


def aol(folder, *rows, name="aol.txt"):
    return write(folder, name, AOL_HEADER, *rows)


def plain(folder, *rows, header=PLAIN_HEADER):
    return write(folder, "log.csv", header, *rows)


def ubi_query(**changes):
    fields = {
        "query_id": "q1",
        "user_query": "zen",
        "query_response_hit_ids": ["http://a.org/", "http://b.org/"],
        "client_id": "c1",
        "timestamp": "2024-05-01T12:00:00Z",
    }
    return json.dumps({name: value for name, value in (fields | changes).items() if value is not None})


def ubi_event(object_id="http://b.org/", ordinal=2, **changes):
    fields = {
        "action_name": "click",
        "query_id": "q1",
        "session_id": "s1",
        "client_id": "c1",
        "timestamp": "2024-05-01T12:00:09.5Z",
        "event_attributes": {"object": {"object_id": object_id}, "position": {"ordinal": ordinal}},
    }
    return json.dumps({name: value for name, value in (fields | changes).items() if value is not None})


def ubi(folder, queries, events):
    return [write(folder, "queries.ndjson", *queries), write(folder, "events.ndjson", *events)]
