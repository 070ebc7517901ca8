"""A local OpenAI-compatible server that answers after a fixed latency and is quick otherwise.

Run as a process of its own; prints its port on one line. It speaks HTTP by hand, because every millisecond that it
spends is taken from the two cores that the measured program has. ``GET /count`` gives calls and the most in flight.
"""

import asyncio
import json
import re
import sys

FENCE = re.compile(r"<<<(ANSWER|DOCUMENT) ([0-9a-f]{16})>>>\n(.*?)\n<<<END \1 \2>>>", re.DOTALL)
SENTENCE = re.compile(r"[^.]+\.")
TAGS = ("correct", "correct", "irrelevant", "incorrect")
# every list and word that DeepEval's seven prompts ask for; each of its readers takes what it knows
PEER = json.dumps(
    {
        "truths": ["The notice is thirty days."] * 4,
        "claims": ["The notice is thirty days."] * 4,
        "statements": ["The notice is thirty days."] * 4,
        "verdicts": [{"verdict": "yes", "reason": "Clause 12."}] * 4,
        "reason": "The answer follows the document.",
    }
)


def reply(messages: list[dict]) -> str:
    """Judge by position: the sentences of the answer become data points with evidence from the document."""
    found = {name: text for name, _, text in FENCE.findall(messages[-1]["content"])}
    if "ANSWER" not in found:
        return PEER
    document = found.get("DOCUMENT", "")
    places = [match.group().strip() for match in SENTENCE.finditer(document[:4000]) if len(match.group()) > 40]
    points = [
        {
            "id": str(number),
            "quote": (said := match.group().strip()),
            "text": said,
            "evidence": places[number % len(places) :][:1] if places else [],
            "reason": "The clause says so, and the question asks for it.",
            "tag": TAGS[number % len(TAGS)],
        }
        for number, match in enumerate(SENTENCE.finditer(found["ANSWER"]), start=1)
    ]
    return json.dumps({"data_points": points})


class Server(asyncio.Protocol):
    """One connection, kept alive."""

    calls = flying = most = 0

    def __init__(self, latency: float):
        self.latency = latency
        self.buffer = b""

    def connection_made(self, transport):
        """Keep the connection."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Collect a request; answer it later."""
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            length = re.search(rb"content-length: *(\d+)", head)
            size = int(length[1]) if length else 0
            if len(self.buffer) < end + 4 + size:
                return
            body, self.buffer = self.buffer[end + 4 : end + 4 + size], self.buffer[end + 4 + size :]
            if head.startswith(b"get"):
                self.send({"calls": Server.calls, "most": Server.most})
                Server.calls = Server.most = 0
                continue
            Server.calls += 1
            Server.flying += 1
            Server.most = max(Server.most, Server.flying)
            asyncio.get_running_loop().call_later(self.latency, self.answer, json.loads(body))

    def answer(self, asked: dict) -> None:
        """Send the reply that the latency held back."""
        Server.flying -= 1
        text = reply(asked["messages"])
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 3000, "completion_tokens": 300, "total_tokens": 3300}
        self.send(
            {
                "id": "x", "object": "chat.completion", "created": 1, "model": asked["model"],
                "choices": [choice], "usage": usage,
            }
        )  # fmt: skip

    def send(self, value: dict) -> None:
        """Write one JSON response."""
        body = json.dumps(value).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        if not self.transport.is_closing():
            self.transport.write(head.encode() + body)


async def main(latency: float) -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(lambda: Server(latency), "127.0.0.1", 0, backlog=512)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
