"""A bare HTTP client with the same bodies on the same server: what the machine allows while other work is on it.

    python floor.py BASE_URL ANSWERS IN_FLIGHT

Prints one line of JSON.
"""

import asyncio
import json
import sys
import time

import aiohttp
from answers import rows, texts


async def main(base_url: str, count: int, in_flight: int) -> None:
    """Send every question once, so many at a time, and read the replies."""
    contracts = dict(texts())
    bodies = [
        json.dumps(
            {
                "model": "local-judge",
                "messages": [
                    {
                        "role": "user",
                        "content": f"<<<DOCUMENT 0123456789abcdef>>>\n{contracts[name]}\n<<<END DOCUMENT "
                        f"0123456789abcdef>>>\n{question}\n<<<ANSWER 0123456789abcdee>>>\n{answer}\n"
                        "<<<END ANSWER 0123456789abcdee>>>",
                    }
                ],
            }
        )
        for _, question, answer, name in rows(count)
    ]
    waiting = iter(bodies)

    async def lane(session: aiohttp.ClientSession, number: int) -> None:
        await asyncio.sleep(number * 0.003)
        for body in waiting:
            async with session.post(f"{base_url}/chat/completions", data=body) as response:
                if "data_points" not in (await response.json())["choices"][0]["message"]["content"]:
                    sys.exit("the server did not judge")

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=in_flight)) as session:
        started = time.perf_counter()
        await asyncio.gather(*(lane(session, number) for number in range(in_flight)))
        sys.stdout.write(json.dumps({"wall": time.perf_counter() - started}) + "\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
