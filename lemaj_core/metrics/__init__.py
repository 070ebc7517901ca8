"""Pure numbers from judged records: no model, no file, no store."""
