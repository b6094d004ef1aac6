"""What a bare HTTP/2 connection sees of APNs: h2_client.py HOST PORT CA PATH AUTHORIZATION TOPIC BODY
One JSON object a line: settings, answers with status and reason, GOAWAY."""
import json, socket, ssl, sys
import h2.config, h2.connection, h2.events, h2.settings

host, port, authority, path, authorization, topic, body = sys.argv[1:8]
context = ssl.create_default_context(cafile=authority)
context.set_alpn_protocols(["h2"])
wire = context.wrap_socket(socket.create_connection((host, int(port)), timeout=20), server_hostname=host)
connection = h2.connection.H2Connection(config=h2.config.H2Configuration(header_encoding="utf-8"))
connection.initiate_connection()
wire.sendall(connection.data_to_send())
answers, ended = {}, set()

def turn(replies=True):  # reads once; false when the server has closed
    data = wire.recv(65535)
    if not data:
        return False
    for event in connection.receive_data(data):
        if isinstance(event, h2.events.RemoteSettingsChanged):
            streams = event.changed_settings.get(h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS)
            if streams:
                print(json.dumps({"streams": streams.new_value}), flush=True)
        elif isinstance(event, h2.events.ResponseReceived):
            answers[event.stream_id] = {"status": dict(event.headers)[":status"], "body": ""}
        elif isinstance(event, h2.events.DataReceived):
            answers[event.stream_id]["body"] += event.data.decode()
        elif isinstance(event, h2.events.StreamEnded):
            ended.add(event.stream_id)
            print(json.dumps(answers[event.stream_id] | {"stream": event.stream_id}), flush=True)
        elif isinstance(event, h2.events.ConnectionTerminated):
            print(json.dumps({"goaway": (event.additional_data or b"").decode(), "last": event.last_stream_id}), flush=True)
            return False
    if replies:
        wire.sendall(connection.data_to_send())
    return True

def push(authorization):
    stream = connection.get_next_available_stream_id()
    headers = [(":method", "POST"), (":scheme", "https"), (":authority", host), (":path", path),
               ("authorization", authorization), ("apns-topic", topic), ("apns-push-type", "liveactivity")]
    connection.send_headers(stream, headers)
    connection.send_data(stream, body.encode(), end_stream=True)
    wire.sendall(connection.data_to_send())
    while stream not in ended:
        if not turn(replies=stream < 5):
            sys.exit("no answer")

while connection.remote_settings.max_concurrent_streams > 2**31:
    turn()
push(authorization)
push("bearer nonsense")
push(authorization)
while turn(replies=False):  # a server that says goodbye may not listen any more
    pass
