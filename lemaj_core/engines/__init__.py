"""Who executes a run: local (asyncio and one thread). It decides when an answer is judged, never how."""
