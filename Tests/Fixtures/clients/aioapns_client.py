"""Pushes by aioapns: aioapns_client.py HOST PORT CA KEY_FILE KEY_ID TEAM_ID TOPIC COUNT TOKEN WRONG_TOKEN
Prints one JSON object: how many were accepted, how fast, and what is said of the wrong token."""
import asyncio, json, ssl, sys, time
from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol

host, port, authority, key_file, key_id, team_id, topic, count, token, wrong_token = sys.argv[1:11]
APNsProductionClientProtocol.APNS_SERVER = host
APNsProductionClientProtocol.APNS_PORT = int(port)

def request(token, number):
    aps = {"timestamp": 1790000000 + number, "event": "update", "content-state": {"counter": number}}
    return NotificationRequest(device_token=token, message={"aps": aps}, push_type=PushType.LIVEACTIVITY, priority=10)

async def main():
    client = APNs(key=open(key_file).read(), key_id=key_id, team_id=team_id, topic=topic, max_connections=1,
                  ssl_context=ssl.create_default_context(cafile=authority))
    first = await client.send_notification(request(token, 0))  # opens the connection for more than one stream
    begin = time.monotonic()
    results = await asyncio.gather(*(client.send_notification(request(token, n + 1)) for n in range(int(count))))
    seconds = time.monotonic() - begin
    wrong = await client.send_notification(request(wrong_token, 0))
    print(json.dumps({
        "accepted": sum(result.is_successful for result in [first, *results]), "per_second": int(int(count) / seconds),
        "wrong_status": wrong.status, "wrong_reason": wrong.description}))

asyncio.run(asyncio.wait_for(main(), 60))
