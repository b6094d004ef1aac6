"""A Carillon producer in pyzmq: producer.py NODE [OWN.key_secret NODE.key] < EVENTS, one a line: ID PAYLOAD"""
import json, sys, time, zmq, zmq.auth

key, seq = {"app": "cricket", "channel": "match/ipl-2024-final"}, 0

def connect():  # also when the certificate was replaced: libzmq gives up for good when it is refused
    global socket
    for attempt in range(10):
        socket = zmq.Context.instance().socket(zmq.DEALER)
        socket.setsockopt(zmq.LINGER, 2000)
        if len(sys.argv) > 3:  # CURVE: who we are, and who the node must be
            socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(sys.argv[2])
            socket.curve_serverkey, _ = zmq.auth.load_certificate(sys.argv[3])
        socket.connect(sys.argv[1])
        if ask("hello", client="producer.py").get("command") == "ready": return
    sys.exit("the node does not let us in")

def ask(command, payload=None, **members):  # the answer has our number; receipt, credit and goaway come unasked
    global seq
    seq += 1
    header = json.dumps({"command": command, "seq": seq, **members}).encode()
    socket.send_multipart([b"CRL1", header] + ([payload] if payload is not None else []))
    while socket.poll(3_000):
        message, *payload = socket.recv_multipart()[1:]
        message = json.loads(message)
        print(message["command"], {k: v for k, v in message.items() if k != "command"}, *payload, flush=True)
        if message.get("seq") == seq: return message
    return {"slug": "hello-required"}  # silence: begin anew

connect()
for event, payload in (line.split(" ", 1) for line in sys.stdin):
    for attempt in range(3):
        answer = ask("publish", payload.encode(), **key, id=event, receipts=True)
        if answer.get("slug") in ("not-allowed", "hello-required"): connect()
        elif "retry_ms" in answer: time.sleep(answer["retry_ms"] / 1000)
        else: break  # stored, or refused: text and findings say what to change
    ask("get", **key)
    ask("status", **key, id=event)  # a receipt may be lost; this is the truth
ask("bye")
