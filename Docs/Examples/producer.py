"""A Carillon producer in pyzmq: python3 producer.py tcp://127.0.0.1:7400 [OWN.key_secret NODE.key]"""
import json, sys, zmq, zmq.auth

socket = zmq.Context.instance().socket(zmq.DEALER)
socket.setsockopt(zmq.LINGER, 2000)
if len(sys.argv) > 3:  # CURVE: who we are, and who the node must be
    socket.curve_publickey, socket.curve_secretkey = zmq.auth.load_certificate(sys.argv[2])
    socket.curve_serverkey, _ = zmq.auth.load_certificate(sys.argv[3])
socket.connect(sys.argv[1])
seq = 0

def send(command, payload=None, **members):
    global seq
    seq += 1
    header = json.dumps({"command": command, "seq": seq, **members}).encode()
    socket.send_multipart([b"CRL1", header] + ([payload] if payload is not None else []))
    return seq

def answer(number):  # what comes unasked (receipt, credit, goaway) is only shown
    while socket.poll(10_000):
        tag, header, *payload = socket.recv_multipart()
        message = json.loads(header)
        print(message["command"], {k: v for k, v in message.items() if k != "command"}, *payload)
        if message.get("seq") == number:
            return message
    sys.exit("no answer within 10 s")

ready = answer(send("hello", client="producer.py"))
key = {"app": "cricket", "channel": "match/ipl-2024-final"}
state = {"aps": {"event": "update", "content-state": {"score": "114/2"}}}
published = answer(send("publish", json.dumps(state).encode(), **key, id="ball-10.3", receipts=True))
if published["command"] == "nack":
    sys.exit(published["text"])
answer(send("get", **key))
outcome = answer(send("status", **key, id="ball-10.3"))  # a receipt may be lost; this is the truth
answer(send("bye"))
