"""Frames from the store -> answers to the questions that the pages ask. No model, no SQL, no picture."""
